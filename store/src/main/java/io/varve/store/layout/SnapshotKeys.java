package io.varve.store.layout;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The keys of one journal-name's snapshots. */
public record SnapshotKeys(String journalName) {
    public static final String PARTITION = "par";
    public static final String SEQUENCE_NUMBER = "seq";

    private static final int SAVE_DIGITS = 16;

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

    /** The partition of the parts that one save writes. */
    public String partPartition(String persistenceId, long sequenceNumber, long save) {
        String partition = partListPartition(persistenceId) + "-" + sequenceNumber + "-";
        int bytes = partition.getBytes(StandardCharsets.UTF_8).length + SAVE_DIGITS;
        if (bytes > JournalKeys.MAX_PARTITION_BYTES) {
            throw new KeyException("The persistence id '"
                    + persistenceId.substring(0, Math.min(40, persistenceId.length()))
                    + "…' is too long for a snapshot in parts: with the journal-name and two numbers the key of its parts"
                    + " has " + bytes + " bytes, and DynamoDB allows " + JournalKeys.MAX_PARTITION_BYTES + ".");
        }
        return partition + save;
    }

    /** The key of an item. */
    public static Map<String, AttributeValue> itemKey(String partition, long number) {
        return Map.of(PARTITION, AttributeValue.fromS(partition), SEQUENCE_NUMBER, EventItems.number(number));
    }
}
