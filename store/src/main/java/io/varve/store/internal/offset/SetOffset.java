package io.varve.store.internal.offset;

import java.util.Map;

/**
 * What somebody has said by hand about a slice: where to go on.
 *
 * @param epoch higher each time; what was written in a lower one is from before
 * @param timestamp events before it count as processed, in microseconds; 0 after everything was forgotten
 * @param seen the sequence numbers at exactly that timestamp that count as processed, by persistence id
 */
public record SetOffset(long epoch, long timestamp, Map<String, Long> seen) {
    /** Nobody has said anything. */
    public static final SetOffset NONE = new SetOffset(0, 0, Map.of());

    SliceOffset asPlace() {
        return timestamp == 0 ? SliceOffset.BEGINNING : new SliceOffset(timestamp, seen, timestamp);
    }
}
