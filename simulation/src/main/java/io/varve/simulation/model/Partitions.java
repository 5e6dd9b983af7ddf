package io.varve.simulation.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbRequest;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/**
 * The partitions of tables, each of which takes so many write and read units a second. A table begins with one; one that has to
 * throttle for long is split in two, by the hash of the keys.
 *
 * <p>What a second leaves unused is kept for one more. A request that is larger than what is left passes if anything is, and the
 * next ones wait for it.
 */
public final class Partitions {
    private static final int UNIT = 1024;
    private static final int MOST_SPLITS = 6;
    private static final int THROTTLED_BEFORE_SPLIT = 20;

    private final int writeUnits;
    private final int readUnits;
    private final Map<String, TablePartitions> tables = new HashMap<>();
    private int splits;

    /** Partitions with so many units a second: on AWS 1,000 and 3,000. */
    public Partitions(int writeUnits, int readUnits) {
        this.writeUnits = writeUnits;
        this.readUnits = readUnits;
    }

    /** The units that are left, and when that was. */
    private static final class Bucket {
        private final int perSecond;
        private double left;
        private long at;

        Bucket(int perSecond) {
            this.perSecond = perSecond;
            this.left = 2.0 * perSecond;
        }

        boolean hasAny(long now) {
            left = Math.min(2.0 * perSecond, left + (now - at) / 1e9 * perSecond);
            at = now;
            return left > 0;
        }
    }

    private static final class TablePartitions {
        private final Map<Integer, Bucket> writes = new HashMap<>();
        private final Map<Integer, Bucket> reads = new HashMap<>();
        private int bits;
        private int throttled;
    }

    /** How often a partition was split. */
    public int splits() {
        return splits;
    }

    /** Takes what a write needs; false if a partition that it needs has nothing left. */
    public boolean admitsWrite(DynamoDbRequest request, long now) {
        List<Write> writes = writes(request);
        for (Write write : writes) {
            if (!bucket(write.table, write.key, true).hasAny(now)) {
                throttled(write.table);
                return false;
            }
        }
        writes.forEach(write -> bucket(write.table, write.key, true).left -= write.units);
        return true;
    }

    /** Whether the partition of a key has read units left. */
    public boolean admitsRead(String table, String hash, long now) {
        boolean has = bucket(table, hash, false).hasAny(now);
        if (!has) {
            throttled(table);
        }
        return has;
    }

    /** What a read has cost. */
    public void read(String table, String hash, int bytes) {
        bucket(table, hash, false).left -= Math.max(1, bytes / (4 * UNIT));
    }

    private void throttled(String table) {
        TablePartitions partitions = of(table);
        if (++partitions.throttled % THROTTLED_BEFORE_SPLIT == 0 && partitions.bits < MOST_SPLITS) {
            partitions.bits++;
            partitions.writes.clear();
            partitions.reads.clear();
            splits++;
        }
    }

    private TablePartitions of(String table) {
        return tables.computeIfAbsent(table, name -> new TablePartitions());
    }

    private Bucket bucket(String table, String hash, boolean write) {
        TablePartitions partitions = of(table);
        int partition = hash.hashCode() & ((1 << partitions.bits) - 1);
        return write
                ? partitions.writes.computeIfAbsent(partition, none -> new Bucket(writeUnits))
                : partitions.reads.computeIfAbsent(partition, none -> new Bucket(readUnits));
    }

    private record Write(String table, String key, int units) {
        static Write of(String table, Map<String, AttributeValue> item, int times) {
            return new Write(table, hash(item), times * (1 + Values.size(item) / UNIT));
        }
    }

    /** The hash key, by the names that it has in the tables here. */
    private static String hash(Map<String, AttributeValue> item) {
        @Nullable AttributeValue journal = item.get("par");
        @Nullable AttributeValue offsets = item.get("name_slice");
        return journal != null ? journal.s() : offsets != null ? offsets.s() : "";
    }

    private static List<Write> writes(DynamoDbRequest request) {
        List<Write> all = new ArrayList<>();
        if (request instanceof PutItemRequest put) {
            all.add(Write.of(put.tableName(), put.item(), 1));
        } else if (request instanceof UpdateItemRequest update) {
            all.add(Write.of(update.tableName(), update.key(), 1));
        } else if (request instanceof DeleteItemRequest delete) {
            all.add(Write.of(delete.tableName(), delete.key(), 1));
        } else if (request instanceof TransactWriteItemsRequest transaction) {
            transaction.transactItems().forEach(item -> all.add(write(item)));
        } else if (request instanceof BatchWriteItemRequest batch) {
            batch.requestItems().forEach((table, items) -> items.forEach(item -> all.add(write(table, item))));
        }
        return all;
    }

    private static Write write(String table, WriteRequest item) {
        return item.putRequest() != null
                ? Write.of(table, item.putRequest().item(), 1)
                : Write.of(table, item.deleteRequest().key(), 1);
    }

    private static Write write(TransactWriteItem item) {
        if (item.put() != null) {
            return Write.of(item.put().tableName(), item.put().item(), 2);
        }
        if (item.update() != null) {
            return Write.of(item.update().tableName(), item.update().key(), 2);
        }
        return item.delete() != null
                ? Write.of(item.delete().tableName(), item.delete().key(), 2)
                : Write.of(
                        item.conditionCheck().tableName(), item.conditionCheck().key(), 2);
    }
}
