package io.varve.store.internal.layout;

import io.varve.store.KeyException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The keys of one journal-name's snapshots. */
public record SnapshotKeys(String journalName) {
    public static final String PARTITION = "par";
    public static final String SEQUENCE_NUMBER = "seq";

    private static final int SAVE_DIGITS = 16;
    /** A dash, and the number of a part. */
    private static final int INDEX_DIGITS = 6;

    /** The partition of an entity's snapshots. */
    public String partition(String persistenceId) {
        return journalName + "-P-" + persistenceId;
    }

    /** The key of a snapshot. */
    public Map<String, AttributeValue> key(String persistenceId, long sequenceNumber) {
        return itemKey(partition(persistenceId), sequenceNumber);
    }

    /** The partition that lists an entity's sets of parts, so that those of an interrupted save are found again. */
    public String partListPartition(String persistenceId) {
        return journalName + "-PART-" + persistenceId;
    }

    /** What the keys of the parts that one save writes are made of; no other save has it. */
    public String partKey(String persistenceId, long sequenceNumber, long save) {
        String prefix = partListPartition(persistenceId) + "-" + sequenceNumber + "-";
        int bytes = prefix.getBytes(StandardCharsets.UTF_8).length + SAVE_DIGITS + INDEX_DIGITS;
        if (bytes > JournalKeys.MAX_PARTITION_BYTES) {
            throw new KeyException("The persistence id '"
                    + persistenceId.substring(0, Math.min(40, persistenceId.length()))
                    + "…' is too long for a snapshot in parts: with the journal-name and three numbers the key of its parts"
                    + " has " + bytes + " bytes, and DynamoDB allows " + JournalKeys.MAX_PARTITION_BYTES + ".");
        }
        return prefix + save;
    }

    /** Whether keys of parts can be made of a text. */
    public static boolean isPartKey(String text) {
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        return bytes > 0 && bytes + INDEX_DIGITS <= JournalKeys.MAX_PARTITION_BYTES;
    }

    /** The key of a part in a partition of its own. */
    public static Map<String, AttributeValue> partKey(String key, int index) {
        return itemKey(key + "-" + index, index);
    }

    /** The key of an item. */
    public static Map<String, AttributeValue> itemKey(String partition, long number) {
        return Map.of(PARTITION, AttributeValue.fromS(partition), SEQUENCE_NUMBER, EventItems.number(number));
    }
}
