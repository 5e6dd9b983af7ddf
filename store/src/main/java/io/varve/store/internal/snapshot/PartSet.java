package io.varve.store.internal.snapshot;

import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.Item;
import io.varve.store.internal.layout.SnapshotKeys;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * The parts of one save: what their keys are made of, the snapshot that they belong to, and how many they are.
 *
 * @param key unlike that of any other save, so it also tells which save a head is of
 * @param form 1: all parts under one partition key, without length and checksum; only read. 2: each under a key of its own, so
 *     that DynamoDB can spread the writes
 */
record PartSet(String key, long sequenceNumber, int count, int form) {
    static final String PARTS = "parts";
    static final String FORM = "part_form";
    /** The form that is written. */
    static final int CURRENT_FORM = 2;
    /** The most parts that a snapshot can have; an item that claims more is not ours. */
    static final int MAX_PARTS = 10_000;

    /** The set that an item, a head or an entry in the list, tells of. */
    static PartSet of(Item item, String key, long sequenceNumber) {
        int form = (int) item.findNumber(FORM, 1, Integer.MAX_VALUE).orElse(1);
        if (form > CURRENT_FORM) {
            throw item.wrong(
                    FORM, "is " + form + ", which this version of Varve does not know: update Varve on this node");
        }
        return new PartSet(key, sequenceNumber, (int) item.number(PARTS, 1, MAX_PARTS), form);
    }

    /** Writes what {@link #of} reads. */
    void describe(Map<String, AttributeValue> item) {
        item.put(PARTS, EventItems.number(count));
        item.put(FORM, EventItems.number(form));
    }

    /** The key of a part. */
    Map<String, AttributeValue> key(int index) {
        return form == 1 ? SnapshotKeys.itemKey(key, index) : SnapshotKeys.partKey(key, index);
    }

    /** The keys of the parts from one to before another. */
    List<Map<String, AttributeValue>> keys(int from, int to) {
        return IntStream.range(from, Math.min(to, count)).mapToObj(this::key).toList();
    }
}
