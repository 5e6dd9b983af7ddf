package io.varve.store.internal.layout;

import io.varve.store.ItemException;
import io.varve.store.Slices;
import java.util.HashMap;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * What is kept of a journal-name as a whole: how many shards its marks and its slice index have, for life, and which entity types
 * have tagged events.
 */
public record JournalMeta(int sequenceShards, int indexShards, TaggedTypes taggedTypes) {
    /** The version of the storage format. */
    public static final int FORMAT = 1;

    /** How many shards marks can have at most. */
    public static final int MAX_SEQUENCE_SHARDS = 10_000;

    public static final String SEQUENCE_SHARDS = "sequence_shards";
    public static final String INDEX_SHARDS = "index_shards";
    private static final String FORMAT_VERSION = "format";

    /** A journal-name without tagged events. */
    public JournalMeta(int sequenceShards, int indexShards) {
        this(sequenceShards, indexShards, TaggedTypes.NONE);
    }

    /** The item that keeps it at first; the tagged types are added to it one by one. */
    public Map<String, AttributeValue> encode(JournalKeys keys) {
        Map<String, AttributeValue> item = new HashMap<>(keys.metaKey());
        item.put(SEQUENCE_SHARDS, EventItems.number(sequenceShards));
        item.put(INDEX_SHARDS, EventItems.number(indexShards));
        item.put(FORMAT_VERSION, EventItems.number(FORMAT));
        return item;
    }

    /** Reads the item. */
    public static JournalMeta decode(Item item) {
        long format = item.findNumber(FORMAT_VERSION, 1, Long.MAX_VALUE).orElse(FORMAT);
        if (format > FORMAT) {
            throw new ItemException("The item " + item.shownKey() + " of table '" + item.table() + "' says in '"
                    + FORMAT_VERSION + "' that the table holds format " + format + ", and this version of Varve knows "
                    + FORMAT + ": update Varve on this node.");
        }
        return new JournalMeta(
                (int) item.number(SEQUENCE_SHARDS, 1, MAX_SEQUENCE_SHARDS),
                indexShards(item),
                TaggedTypes.decode(item));
    }

    private static int indexShards(Item item) {
        int shards = (int) item.number(INDEX_SHARDS, 1, Slices.NUMBER);
        if (Slices.NUMBER % shards != 0) {
            throw item.wrong(INDEX_SHARDS, "is " + shards + ", but must be a divisor of " + Slices.NUMBER);
        }
        return shards;
    }
}
