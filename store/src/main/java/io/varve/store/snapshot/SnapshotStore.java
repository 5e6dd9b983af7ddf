package io.varve.store.snapshot;

import io.varve.store.client.Call;
import io.varve.store.client.FailureKind;
import io.varve.store.client.Gateway;
import io.varve.store.client.StoreException;
import io.varve.store.layout.EventItems;
import io.varve.store.layout.ItemSize;
import io.varve.store.layout.JournalKeys;
import io.varve.store.layout.SnapshotKeys;
import io.varve.store.layout.Tables;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.DescribeTableRequest;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** The snapshots of one journal-name: save, load the latest, delete. What a snapshot store plugin calls. */
public final class SnapshotStore {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotStore.class);
    /** Up to this size a snapshot is one item in any table, also where the local index holds a copy of it. */
    private static final int FITS_EVERYWHERE = 200_000;
    /** What one part holds: less than an item's limit by its key. */
    private static final int PART_SIZE = 390_000;

    private final Gateway gateway;
    private final SnapshotStoreSettings settings;
    private final SnapshotItems items;
    private final Parts parts;
    private final InstantSource clock;
    private volatile @Nullable Integer maxItemSize;

    /** A store on a table. */
    public SnapshotStore(Gateway gateway, SnapshotStoreSettings settings, InstantSource clock) {
        SnapshotKeys keys = new SnapshotKeys(settings.journalName());
        this.gateway = gateway;
        this.settings = settings;
        this.items = new SnapshotItems(keys);
        this.parts = new Parts(
                gateway,
                settings.table(),
                keys,
                Math.min(PART_SIZE, settings.maxItemSize() - 5_000),
                settings.partParallelism());
        this.clock = clock;
    }

    /** Saves a snapshot; one of the same sequence number is replaced, and stays as it is if the save fails. */
    public CompletionStage<Void> save(Snapshot snapshot) {
        new JournalKeys(settings.journalName()).check(snapshot.persistenceId());
        byte[] stored =
                settings.compression().compress(snapshot.payload().bytes().asByteArrayUnsafe());
        if (stored.length > settings.maxSnapshotSize()) {
            return CompletableFuture.failedFuture(new SnapshotTooLargeException(
                    snapshot.persistenceId(), snapshot.sequenceNumber(), stored.length, settings.maxSnapshotSize()));
        }
        Map<String, AttributeValue> head = items.head(snapshot, settings.compression());
        Map<String, AttributeValue> whole = items.whole(head, stored);
        int size = ItemSize.of(whole);
        CompletionStage<Boolean> fits = size <= Math.min(FITS_EVERYWHERE, settings.maxItemSize())
                ? CompletableFuture.completedFuture(true)
                : maxItemSize().thenApply(limit -> size <= Math.min(limit, settings.maxItemSize()));
        return fits.thenCompose(inOneItem -> inOneItem
                ? gateway.putItem(
                                PutItemRequest.builder()
                                        .tableName(settings.table())
                                        .item(whole)
                                        .build(),
                                gateway.budget())
                        .thenAccept(done -> {})
                : parts.save(
                        snapshot.persistenceId(), snapshot.sequenceNumber(), stored, set -> items.inParts(head, set)));
    }

    /**
     * The newest snapshot, by sequence number, that matches. If it cannot be read, because {@code read} fails or the item is
     * damaged, the next older one is tried where {@code olderOnFailure} says so. One without all of its parts is never returned.
     */
    public <T> CompletionStage<Optional<T>> load(
            String persistenceId,
            Criteria criteria,
            boolean olderOnFailure,
            Function<Snapshot, CompletionStage<T>> read) {
        new JournalKeys(settings.journalName()).check(persistenceId);
        return criteria.isEmpty()
                ? CompletableFuture.completedFuture(Optional.empty())
                : new Loading<>(
                                gateway,
                                settings.table(),
                                items.keys(),
                                parts,
                                clock,
                                persistenceId,
                                criteria,
                                olderOnFailure,
                                read)
                        .start();
    }

    /** Deletes one snapshot. */
    public CompletionStage<Void> delete(String persistenceId, long sequenceNumber) {
        new JournalKeys(settings.journalName()).check(persistenceId);
        return deleteHeads(List.of(Parts.deletion(items.keys().key(persistenceId, sequenceNumber))))
                .thenCompose(gone -> parts.removeOrphans(persistenceId));
    }

    /** Deletes all snapshots that match. */
    public CompletionStage<Void> delete(String persistenceId, Criteria criteria) {
        new JournalKeys(settings.journalName()).check(persistenceId);
        CompletionStage<List<WriteRequest>> heads = criteria.isEmpty()
                ? CompletableFuture.completedFuture(List.of())
                : matching(persistenceId, criteria, Map.of(), new ArrayList<>());
        return heads.thenCompose(this::deleteHeads).thenCompose(gone -> parts.removeOrphans(persistenceId));
    }

    private CompletionStage<Void> deleteHeads(List<WriteRequest> deletions) {
        return gateway.batchWrite(settings.table(), deletions, gateway.budget());
    }

    /** The keys of all that match, from the local index, whose entries are small. */
    private CompletionStage<List<WriteRequest>> matching(
            String persistenceId, Criteria criteria, Map<String, AttributeValue> after, List<WriteRequest> found) {
        QueryRequest query = QueryRequest.builder()
                .tableName(settings.table())
                .indexName(Tables.SNAPSHOT_TIME_INDEX)
                .consistentRead(true)
                .keyConditionExpression(
                        SnapshotKeys.PARTITION + " = :par AND " + SnapshotItems.TIMESTAMP + " BETWEEN :from AND :to")
                .expressionAttributeValues(Map.of(
                        ":par", AttributeValue.fromS(items.keys().partition(persistenceId)),
                        ":from", EventItems.number(criteria.minTimestamp().toEpochMilli()),
                        ":to", EventItems.number(criteria.maxTimestamp().toEpochMilli())))
                .projectionExpression(SnapshotKeys.SEQUENCE_NUMBER)
                .exclusiveStartKey(after.isEmpty() ? null : after)
                .build();
        return gateway.call(Call.QUERY, query, gateway.budget()).thenCompose(page -> {
            page.items().stream()
                    .map(SnapshotItems::sequenceNumber)
                    .filter(n -> n >= criteria.minSequenceNumber() && n <= criteria.maxSequenceNumber())
                    .forEach(n -> found.add(Parts.deletion(items.keys().key(persistenceId, n))));
            return page.hasLastEvaluatedKey() && !page.lastEvaluatedKey().isEmpty()
                    ? matching(persistenceId, criteria, page.lastEvaluatedKey(), found)
                    : CompletableFuture.completedFuture(found);
        });
    }

    /** The largest item that the table takes, which the copy in its local index counts against; asked for once. */
    private CompletionStage<Integer> maxItemSize() {
        Integer known = maxItemSize;
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        DescribeTableRequest describe =
                DescribeTableRequest.builder().tableName(settings.table()).build();
        return gateway.call(Call.DESCRIBE_TABLE, describe, gateway.budget()).handle((described, thrown) -> {
            if (thrown == null) {
                maxItemSize = copiesSnapshots(described.table()) ? FITS_EVERYWHERE : ItemSize.MAX - 4_000;
            } else if (thrown instanceof StoreException refused && refused.kind() == FailureKind.REFUSED) {
                maxItemSize = FITS_EVERYWHERE;
                LOG.info(
                        "The snapshot table '{}' may not be described, so snapshots above {} bytes are cut into parts.",
                        settings.table(),
                        FITS_EVERYWHERE);
            }
            Integer found = maxItemSize;
            return found == null ? FITS_EVERYWHERE : found;
        });
    }

    private static boolean copiesSnapshots(TableDescription table) {
        return table.localSecondaryIndexes().stream()
                .anyMatch(index -> index.projection().projectionType() != ProjectionType.KEYS_ONLY);
    }
}
