package io.varve.store.snapshot;

import io.varve.store.VarveException;
import io.varve.store.client.Budget;
import io.varve.store.client.Call;
import io.varve.store.client.Concurrently;
import io.varve.store.client.Gateway;
import io.varve.store.client.WriteResult;
import io.varve.store.layout.EventItems;
import io.varve.store.layout.SnapshotKeys;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.stream.IntStream;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.Update;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/**
 * The parts of snapshots that are too large for one item.
 *
 * <p>Each save writes a set of parts of its own, so that it cannot damage an older snapshot of the same sequence number. An entry
 * in the entity's list of sets comes first, then the parts, then the head. A save that stops on the way leaves a set that no head
 * names; the next save in parts, or the next delete, finds it in the list and removes it. So that it does not remove a set whose
 * save is merely slow: the head is written in a transaction that checks that the entry is not doomed, and the entry is doomed in
 * a transaction that checks that no head names the set. Only one of the two can win.
 */
final class Parts {
    private static final String OF_SEQUENCE_NUMBER = "of_seq";
    private static final String DOOMED = "doomed";
    private static final String DATA = "data";
    private static final String EXISTS = "attribute_exists(" + SnapshotKeys.PARTITION + ")";

    private final Gateway gateway;
    private final String table;
    private final SnapshotKeys keys;
    private final int partSize;
    private final int parallelism;

    Parts(Gateway gateway, String table, SnapshotKeys keys, int partSize, int parallelism) {
        this.gateway = gateway;
        this.table = table;
        this.keys = keys;
        this.partSize = partSize;
        this.parallelism = parallelism;
    }

    /** The parts of one save: the partition they are in, the snapshot they belong to, and how many they are. */
    record Set(String partition, long sequenceNumber, int count) {}

    /** A set in the entity's list, with the number of its save, which is its key there. */
    private record Listed(Set set, long save) {}

    /** Saves bytes in parts, and then the head that {@code head} makes of them, if the save was not given up meanwhile. */
    CompletionStage<Void> save(
            String persistenceId, long sequenceNumber, byte[] bytes, Function<Set, Map<String, AttributeValue>> head) {
        Budget budget = gateway.budget();
        long save = ThreadLocalRandom.current().nextLong(1, 1L << 53);
        Set set = new Set(
                keys.partPartition(persistenceId, sequenceNumber, save),
                sequenceNumber,
                (bytes.length + partSize - 1) / partSize);
        return put(entry(persistenceId, set, save), budget)
                .thenCompose(listed -> Concurrently.run(
                        IntStream.range(0, set.count()).boxed().toList(),
                        parallelism,
                        index -> put(part(set, index, bytes), gateway.budget())))
                .thenCompose(written -> gateway.transactWriteItems(
                        List.of(putHead(head.apply(set)), checkEntry(persistenceId, save)), gateway.budget()))
                .thenAccept(result -> {
                    if (result instanceof WriteResult.ConditionFailed) {
                        throw new VarveException("The snapshot " + sequenceNumber + " of '"
                                + persistenceId + "' was not saved: another node has cleaned up its parts meanwhile."
                                + " Two instances of this entity are running, or this save took very long.");
                    }
                });
    }

    /** The bytes of a set, or nothing if a part of it is missing. */
    CompletionStage<Optional<byte[]>> load(Set set) {
        List<Map<String, AttributeValue>> wanted = IntStream.range(0, set.count())
                .mapToObj(index -> SnapshotKeys.itemKey(set.partition(), index))
                .toList();
        return gateway.batchGet(table, wanted, true, gateway.budget()).thenApply(items -> {
            Map<Long, AttributeValue> parts = new TreeMap<>();
            items.forEach(item -> Optional.ofNullable(item.get(DATA))
                    .ifPresent(data -> parts.put(SnapshotItems.sequenceNumber(item), data)));
            if (parts.size() < set.count()) {
                return Optional.empty();
            }
            ByteArrayOutputStream bytes = new ByteArrayOutputStream(set.count() * partSize);
            parts.values().forEach(data -> bytes.writeBytes(data.b().asByteArrayUnsafe()));
            return Optional.of(bytes.toByteArray());
        });
    }

    /** Removes the sets of an entity that no head names. */
    CompletionStage<Void> removeOrphans(String persistenceId) {
        return list(persistenceId, Map.of(), new ArrayList<>())
                .thenCompose(sets -> Concurrently.run(sets, 1, listed -> removeIfOrphan(persistenceId, listed)));
    }

    private CompletionStage<List<Listed>> list(
            String persistenceId, Map<String, AttributeValue> after, List<Listed> found) {
        String partition = keys.partListPartition(persistenceId);
        QueryRequest query = QueryRequest.builder()
                .tableName(table)
                .consistentRead(true)
                .keyConditionExpression(SnapshotKeys.PARTITION + " = :par")
                .expressionAttributeValues(Map.of(":par", AttributeValue.fromS(partition)))
                .exclusiveStartKey(after.isEmpty() ? null : after)
                .build();
        return gateway.call(Call.QUERY, query, gateway.budget()).thenCompose(page -> {
            page.items().forEach(item -> {
                long save = SnapshotItems.sequenceNumber(item);
                long of = EventItems.number(item, OF_SEQUENCE_NUMBER).orElse(0L);
                int count =
                        EventItems.number(item, SnapshotItems.PARTS).orElse(0L).intValue();
                found.add(new Listed(new Set(keys.partPartition(persistenceId, of, save), of, count), save));
            });
            return page.hasLastEvaluatedKey() && !page.lastEvaluatedKey().isEmpty()
                    ? list(persistenceId, page.lastEvaluatedKey(), found)
                    : CompletableFuture.completedFuture(found);
        });
    }

    private CompletionStage<Void> removeIfOrphan(String persistenceId, Listed listed) {
        Map<String, AttributeValue> entryKey =
                SnapshotKeys.itemKey(keys.partListPartition(persistenceId), listed.save());
        TransactWriteItem doom = TransactWriteItem.builder()
                .update(Update.builder()
                        .tableName(table)
                        .key(entryKey)
                        .updateExpression("SET " + DOOMED + " = :yes")
                        .conditionExpression(EXISTS)
                        .expressionAttributeValues(Map.of(":yes", AttributeValue.fromBool(true)))
                        .build())
                .build();
        TransactWriteItem noHeadNamesIt = TransactWriteItem.builder()
                .conditionCheck(ConditionCheck.builder()
                        .tableName(table)
                        .key(keys.key(persistenceId, listed.set().sequenceNumber()))
                        .conditionExpression("attribute_not_exists(" + SnapshotItems.PART_KEY + ") OR NOT "
                                + SnapshotItems.PART_KEY + " = :set")
                        .expressionAttributeValues(
                                Map.of(":set", AttributeValue.fromS(listed.set().partition())))
                        .build())
                .build();
        return gateway.transactWriteItems(List.of(doom, noHeadNamesIt), gateway.budget())
                .thenCompose(result -> result instanceof WriteResult.ConditionFailed
                        ? CompletableFuture.completedFuture(null)
                        : gateway.batchWrite(table, deletions(listed.set()), gateway.budget())
                                .thenCompose(gone ->
                                        gateway.batchWrite(table, List.of(deletion(entryKey)), gateway.budget())));
    }

    private static List<WriteRequest> deletions(Set set) {
        return IntStream.range(0, set.count())
                .mapToObj(index -> deletion(SnapshotKeys.itemKey(set.partition(), index)))
                .toList();
    }

    static WriteRequest deletion(Map<String, AttributeValue> key) {
        return WriteRequest.builder().deleteRequest(delete -> delete.key(key)).build();
    }

    private Map<String, AttributeValue> entry(String persistenceId, Set set, long save) {
        Map<String, AttributeValue> entry =
                new HashMap<>(SnapshotKeys.itemKey(keys.partListPartition(persistenceId), save));
        entry.put(OF_SEQUENCE_NUMBER, EventItems.number(set.sequenceNumber()));
        entry.put(SnapshotItems.PARTS, EventItems.number(set.count()));
        return entry;
    }

    private Map<String, AttributeValue> part(Set set, int index, byte[] bytes) {
        int from = index * partSize;
        int length = Math.min(partSize, bytes.length - from);
        Map<String, AttributeValue> part = new HashMap<>(SnapshotKeys.itemKey(set.partition(), index));
        part.put(DATA, AttributeValue.fromB(SdkBytes.fromByteBuffer(ByteBuffer.wrap(bytes, from, length))));
        return part;
    }

    private TransactWriteItem putHead(Map<String, AttributeValue> head) {
        return TransactWriteItem.builder()
                .put(Put.builder().tableName(table).item(head).build())
                .build();
    }

    private TransactWriteItem checkEntry(String persistenceId, long save) {
        return TransactWriteItem.builder()
                .conditionCheck(ConditionCheck.builder()
                        .tableName(table)
                        .key(SnapshotKeys.itemKey(keys.partListPartition(persistenceId), save))
                        .conditionExpression(EXISTS + " AND attribute_not_exists(" + DOOMED + ")")
                        .build())
                .build();
    }

    private CompletionStage<WriteResult> put(Map<String, AttributeValue> item, Budget budget) {
        return gateway.putItem(
                PutItemRequest.builder().tableName(table).item(item).build(), budget);
    }
}
