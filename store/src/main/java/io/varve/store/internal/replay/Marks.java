package io.varve.store.internal.replay;

import io.varve.store.internal.layout.Attributes;
import io.varve.store.internal.layout.Item;
import io.varve.store.internal.layout.JournalKeys;
import java.util.List;

/**
 * An entity's marks, the maximum over all shards.
 *
 * @param low the first sequence number that may still be replayed; 0 if nothing was ever deleted
 * @param high the start of the last group that is known to have events: a hint
 * @param timestamp the newest timestamp that was known when events were deleted; 0 if none
 * @param deleteFrom where the deletion that set {@code low} began; 0 if unknown
 */
public record Marks(long low, long high, long timestamp, long deleteFrom) {
    static final Marks NONE = new Marks(0, 0, 0, 0);

    static Marks of(JournalKeys keys, List<Item> items) {
        long low = 0;
        long high = 0;
        long timestamp = 0;
        long deleteFrom = 0;
        for (Item item : items) {
            long value = item.findSequenceNumber(Attributes.SEQUENCE_NUMBER).orElse(0);
            if (!keys.isLowKey(item)) {
                high = Math.max(high, value);
                continue;
            }
            timestamp =
                    Math.max(timestamp, item.findTimestamp(Attributes.TIMESTAMP).orElse(0));
            if (value > low) {
                low = value;
                deleteFrom = item.findSequenceNumber(Attributes.DELETE_FROM).orElse(0);
            }
        }
        return new Marks(low, high, timestamp, deleteFrom);
    }
}
