package io.varve.store.internal.layout;

import io.varve.store.KeyException;
import io.varve.store.Slices;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The keys of one journal-name's items. */
public record JournalKeys(String journalName) {
    /** How many sequence numbers share a partition: a constant of the format. */
    public static final int GROUP_SIZE = 100;

    /** How many hash keys the index of entities has for a journal-name. */
    public static final int BUCKETS = 16;

    private static final int BUCKET_SLICES = Slices.NUMBER / BUCKETS;
    static final int MAX_PARTITION_BYTES = 2048;
    private static final int MAX_SORT_BYTES = 1024;

    /** The group of a sequence number. */
    public static long group(long sequenceNumber) {
        return sequenceNumber / GROUP_SIZE;
    }

    /** The place of a sequence number within its group. */
    public static int number(long sequenceNumber) {
        return (int) (sequenceNumber % GROUP_SIZE);
    }

    /** Whether no later number shares its partition. */
    public static boolean isEndOfGroup(long sequenceNumber) {
        return number(sequenceNumber) == GROUP_SIZE - 1;
    }

    /** The first sequence number of a group, which a high mark holds. */
    public static long groupStart(long group) {
        return group * GROUP_SIZE;
    }

    /** The partition of a group of events. */
    public String eventPartition(String persistenceId, long group) {
        return eventPrefix() + persistenceId + "-" + group;
    }

    /** What the partitions of all events begin with. */
    public String eventPrefix() {
        return journalName + "-P-";
    }

    /** What the partitions of all low marks begin with. */
    public String lowPrefix() {
        return journalName + "-SL-";
    }

    /** What the partitions of all stand-ins begin with. */
    public String standInPrefix() {
        return journalName + "-ID-";
    }

    /** The key of an event. */
    public Map<String, AttributeValue> eventKey(String persistenceId, long sequenceNumber) {
        return key(eventPartition(persistenceId, group(sequenceNumber)), number(sequenceNumber));
    }

    /** The key of a high mark. */
    public Map<String, AttributeValue> highKey(String persistenceId, long shard) {
        return key(journalName + "-SH-" + persistenceId + "-" + shard, 0);
    }

    /** The key of a low mark. */
    public Map<String, AttributeValue> lowKey(String persistenceId, long shard) {
        return key(lowPrefix() + persistenceId + "-" + shard, 0);
    }

    /** Whether a key is a low mark's. */
    public boolean isLowKey(Item item) {
        return item.text(Attributes.PARTITION).startsWith(lowPrefix());
    }

    /** The key of the item that keeps what is fixed for the life of the journal-name. */
    public Map<String, AttributeValue> metaKey() {
        return key(journalName + "-META", 0);
    }

    /** The key of the item that keeps an entity listed when its first event is deleted. */
    public Map<String, AttributeValue> standInKey(String persistenceId) {
        return key(standInPrefix() + persistenceId, 0);
    }

    /** The hash key of the slice index for an entity's events. */
    public String indexShard(String persistenceId, int indexShards) {
        return sliceShard(Slices.entityType(persistenceId), Slices.of(persistenceId) / (Slices.NUMBER / indexShards));
    }

    /** The hash key of a shard of the slice index. */
    public String sliceShard(String entityType, int shard) {
        return journalName + "-" + entityType + "-" + shard;
    }

    /** The hash key of the index of entities. */
    public String bucket(String persistenceId) {
        return bucket(bucketNumber(persistenceId));
    }

    /** The hash key of the index of entities with that number, from 0 to {@link #BUCKETS} − 1. */
    public String bucket(int number) {
        return journalName + "-" + number;
    }

    /** The number of the bucket that lists an entity. */
    public static int bucketNumber(String persistenceId) {
        return Slices.of(persistenceId) / BUCKET_SLICES;
    }

    /** Whether DynamoDB takes the persistence id as a sort key of the index of entities. */
    public static boolean canBeListed(String persistenceId) {
        return utf8Length(persistenceId) <= MAX_SORT_BYTES;
    }

    /** Fails for a persistence id that cannot be part of a key. */
    public void check(String persistenceId) {
        if (persistenceId.isEmpty()) {
            throw new KeyException("An empty persistence id cannot be stored: give the entity an id.");
        }
        int bytes = utf8Length(eventPartition(persistenceId, group(Long.MAX_VALUE)));
        if (bytes > MAX_PARTITION_BYTES) {
            String shown = persistenceId.length() > 40 ? persistenceId.substring(0, 40) + "…" : persistenceId;
            throw new KeyException("The persistence id '" + shown + "' is too long: with the"
                    + " journal-name and the group number its key has up to " + bytes + " bytes, and DynamoDB allows "
                    + MAX_PARTITION_BYTES + ".");
        }
    }

    private static int utf8Length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static Map<String, AttributeValue> key(String partition, int number) {
        return Map.of(
                Attributes.PARTITION,
                AttributeValue.fromS(partition),
                Attributes.NUMBER,
                AttributeValue.fromN(Integer.toString(number)));
    }
}
