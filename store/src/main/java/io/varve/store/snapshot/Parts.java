package io.varve.store.snapshot;

import io.varve.store.VarveException;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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
 * a transaction that checks that no head names the set. Only one of the two can win. The saves of this very node are known, and
 * left alone.
 */
final class Parts {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotStore.class);
    private static final String OF_SEQUENCE_NUMBER = "of_seq";
    private static final String DOOMED = "doomed";
    private static final String DATA = "data";
    /** How many parts one request fetches: some megabytes, which a request has time enough for. */
    private static final int FETCHED_AT_ONCE = 12;

    private static final String EXISTS = "attribute_exists(" + SnapshotKeys.PARTITION + ")";

    private final Gateway gateway;
    private final String table;
    private final SnapshotKeys keys;
    private final int partSize;
    private final int parallelism;
    private final java.util.Set<String> underWay = ConcurrentHashMap.newKeySet();

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

    /** What was found of a set: the bytes if nothing is missing. */
    record Loaded(SdkBytes bytes, int missing) {}

    /** Saves bytes in parts, and then the head that {@code head} makes of them, if the save was not given up meanwhile. */
    CompletionStage<Void> save(
            String persistenceId, long sequenceNumber, byte[] bytes, Function<Set, Map<String, AttributeValue>> head) {
        long save = ThreadLocalRandom.current().nextLong(1, 1L << 53);
        Set set = new Set(keys.partPartition(persistenceId, sequenceNumber, save), sequenceNumber, (int)
                (((long) bytes.length + partSize - 1) / partSize));
        Listed listed = new Listed(set, save);
        underWay.add(set.partition());
        return put(entry(persistenceId, listed))
                .thenCompose(entered -> Concurrently.run(
                        IntStream.range(0, set.count()).boxed().toList(),
                        parallelism,
                        index -> put(part(set, index, bytes))))
                .thenCompose(written -> gateway.transactWriteItems(
                        List.of(putHead(head.apply(set)), checkEntry(persistenceId, save)), gateway.budget()))
                .thenCompose(result -> result instanceof WriteResult.ConditionFailed
                        ? giveUp(persistenceId, listed)
                        : orLog(persistenceId, removeOrphans(persistenceId)))
                .whenComplete((done, thrown) -> underWay.remove(set.partition()));
    }

    /** Parts written after the clean-up are in no list any more: they are listed again, so that they cannot be forgotten. */
    private CompletionStage<Void> giveUp(String persistenceId, Listed listed) {
        return orLog(
                        persistenceId,
                        put(entry(persistenceId, listed)).thenCompose(entered -> removeIfOrphan(persistenceId, listed)))
                .thenAccept(cleaned -> {
                    throw new VarveException("The snapshot " + listed.set().sequenceNumber() + " of '" + persistenceId
                            + "' was not saved: another node has cleaned up its parts meanwhile. Two instances of this"
                            + " entity are running, or this save took very long.");
                });
    }

    /** A clean-up that fails changes nothing for the caller: the next one goes on with it. */
    private static CompletionStage<Void> orLog(String persistenceId, CompletionStage<Void> cleaning) {
        return cleaning.exceptionally(thrown -> {
            LOG.warn(
                    "Parts of older snapshots of '{}' could not be removed; the next save in parts or delete will try again.",
                    persistenceId,
                    thrown);
            return null;
        });
    }

    /** Fetches a set. */
    CompletionStage<Loaded> load(Set set) {
        Map<Long, byte[]> found = new ConcurrentSkipListMap<>();
        List<Integer> starts = IntStream.iterate(0, start -> start < set.count(), start -> start + FETCHED_AT_ONCE)
                .boxed()
                .toList();
        return Concurrently.run(starts, parallelism, start -> fetch(set, start, found))
                .thenApply(fetched -> {
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream(found.values().stream()
                            .mapToInt(part -> part.length)
                            .sum());
                    found.values().forEach(bytes::writeBytes);
                    return new Loaded(SdkBytes.fromByteArrayUnsafe(bytes.toByteArray()), set.count() - found.size());
                });
    }

    private CompletionStage<Void> fetch(Set set, int start, Map<Long, byte[]> found) {
        List<Map<String, AttributeValue>> wanted = IntStream.range(
                        start, Math.min(set.count(), start + FETCHED_AT_ONCE))
                .mapToObj(index -> SnapshotKeys.itemKey(set.partition(), index))
                .toList();
        return gateway.batchGet(table, wanted, true, gateway.budget())
                .thenAccept(items -> items.forEach(item -> Optional.ofNullable(item.get(DATA))
                        .filter(data -> data.b() != null)
                        .ifPresent(data -> found.put(
                                SnapshotItems.sequenceNumber(item), data.b().asByteArrayUnsafe()))));
    }

    /** Removes the sets of an entity that no head names, but for those that this node is writing. */
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
                // Another entity's part can be here, if this entity's id looks like that part's key.
                EventItems.number(item, OF_SEQUENCE_NUMBER)
                        .map(of -> listed(persistenceId, of, item))
                        .filter(listed -> !underWay.contains(listed.set().partition()))
                        .ifPresent(found::add);
            });
            return page.hasLastEvaluatedKey() && !page.lastEvaluatedKey().isEmpty()
                    ? list(persistenceId, page.lastEvaluatedKey(), found)
                    : CompletableFuture.completedFuture(found);
        });
    }

    private Listed listed(String persistenceId, long of, Map<String, AttributeValue> entry) {
        long save = SnapshotItems.sequenceNumber(entry);
        int count = EventItems.number(entry, SnapshotItems.PARTS).orElse(0L).intValue();
        return new Listed(new Set(keys.partPartition(persistenceId, of, save), of, count), save);
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

    private Map<String, AttributeValue> entry(String persistenceId, Listed listed) {
        Map<String, AttributeValue> entry =
                new HashMap<>(SnapshotKeys.itemKey(keys.partListPartition(persistenceId), listed.save()));
        entry.put(OF_SEQUENCE_NUMBER, EventItems.number(listed.set().sequenceNumber()));
        entry.put(SnapshotItems.PARTS, EventItems.number(listed.set().count()));
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

    private CompletionStage<WriteResult> put(Map<String, AttributeValue> item) {
        return gateway.putItem(
                PutItemRequest.builder().tableName(table).item(item).build(), gateway.budget());
    }
}
