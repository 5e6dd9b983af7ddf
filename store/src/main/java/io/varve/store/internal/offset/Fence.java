package io.varve.store.internal.offset;

import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.Item;
import java.util.HashMap;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * What an item of a read model says about itself: the event of its entity that it reflects. Number 0: it was emptied, to be made anew.
 *
 * @param epoch that of the entity's slice when it was written
 * @param removed whether nothing is left of the item but its key and this
 * @param unfinished whether it is being made anew, and does not yet reflect all events before the offset that was set
 * @param stored the attribute as it is, whatever else a later version has put into it: the next write demands exactly that
 */
public record Fence(LastProcessed reflects, long epoch, boolean removed, boolean unfinished, AttributeValue stored) {
    private static final String PREFIX = "varve-";
    private static final String PERSISTENCE_ID = "pid";
    private static final String SEQUENCE_NUMBER = "seq_nr";
    private static final String TIMESTAMP = "ts";
    private static final String EPOCH = "epoch";
    private static final String REMOVED = "removed";
    private static final String UNFINISHED = "unfinished";

    /** The attribute that holds the fence of a projection. */
    static String attribute(String projection) {
        return PREFIX + projection;
    }

    /** Whether an attribute is the fence of any projection. */
    static boolean isFence(String attribute) {
        return attribute.startsWith(PREFIX);
    }

    /** One that is to be stored. */
    public Fence(LastProcessed reflects, long epoch, boolean removed, boolean unfinished) {
        this(reflects, epoch, removed, unfinished, encoded(reflects, epoch, removed, unfinished));
    }

    private static AttributeValue encoded(LastProcessed reflects, long epoch, boolean removed, boolean unfinished) {
        Map<String, AttributeValue> fields = new HashMap<>();
        fields.put(PERSISTENCE_ID, AttributeValue.fromS(reflects.persistenceId()));
        fields.put(SEQUENCE_NUMBER, EventItems.number(reflects.sequenceNumber()));
        fields.put(TIMESTAMP, EventItems.number(reflects.timestamp()));
        fields.put(EPOCH, EventItems.number(epoch));
        if (removed) {
            fields.put(REMOVED, AttributeValue.fromBool(true));
        }
        if (unfinished) {
            fields.put(UNFINISHED, AttributeValue.fromBool(true));
        }
        return AttributeValue.fromM(fields);
    }

    static Fence decode(String table, String attribute, AttributeValue value) {
        Item fields = new Item(table, Map.of(attribute, value)).map(attribute);
        return new Fence(
                new LastProcessed(
                        fields.text(PERSISTENCE_ID),
                        fields.number(SEQUENCE_NUMBER, 0, Item.LAST_SEQUENCE_NUMBER),
                        fields.number(TIMESTAMP, 0, Item.LAST_TIMESTAMP)),
                fields.number(EPOCH, 0, Item.LAST_TIMESTAMP),
                fields.flag(REMOVED),
                fields.flag(UNFINISHED),
                value);
    }
}
