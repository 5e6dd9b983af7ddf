package io.varve.store.snapshot;

import io.varve.store.VarveException;
import io.varve.store.client.Call;
import io.varve.store.client.Causes;
import io.varve.store.client.Gateway;
import io.varve.store.client.StoreException;
import io.varve.store.layout.EventItems;
import io.varve.store.layout.SnapshotKeys;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;

/**
 * One load: the newest snapshot, by sequence number, that matches.
 *
 * @param olderOnFailure whether an older one is tried if the newest cannot be read; what cannot be fetched fails in any case
 * @param read what makes the result of a snapshot
 */
record Loading<T>(
        Gateway gateway,
        String table,
        SnapshotKeys keys,
        Parts parts,
        InstantSource clock,
        String persistenceId,
        Criteria criteria,
        boolean olderOnFailure,
        Function<Snapshot, CompletionStage<T>> read) {

    private static final Logger LOG = LoggerFactory.getLogger(SnapshotStore.class);
    /** How many snapshots are read at once when the first one does not match. */
    private static final int NEXT_PAGE = 5;

    CompletionStage<Optional<T>> start() {
        return page(Map.of(), 1);
    }

    private CompletionStage<Optional<T>> page(Map<String, AttributeValue> after, int limit) {
        QueryRequest query = QueryRequest.builder()
                .tableName(table)
                .consistentRead(true)
                .keyConditionExpression(SnapshotKeys.PARTITION + " = :par AND " + SnapshotKeys.SEQUENCE_NUMBER
                        + " BETWEEN :min AND :max")
                .expressionAttributeValues(Map.of(
                        ":par", AttributeValue.fromS(keys.partition(persistenceId)),
                        ":min", EventItems.number(criteria.minSequenceNumber()),
                        ":max", EventItems.number(criteria.maxSequenceNumber())))
                .scanIndexForward(false)
                .limit(limit)
                .exclusiveStartKey(after.isEmpty() ? null : after)
                .build();
        return gateway.call(Call.QUERY, query, gateway.budget())
                .thenCompose(page -> first(page.items(), 0).thenCompose(found -> {
                    boolean more = page.hasLastEvaluatedKey()
                            && !page.lastEvaluatedKey().isEmpty();
                    return found.isPresent() || !more
                            ? CompletableFuture.completedFuture(found)
                            : page(page.lastEvaluatedKey(), NEXT_PAGE);
                }));
    }

    private CompletionStage<Optional<T>> first(List<Map<String, AttributeValue>> heads, int index) {
        if (index == heads.size()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return read(heads.get(index))
                .thenCompose(found ->
                        found.isPresent() ? CompletableFuture.completedFuture(found) : first(heads, index + 1));
    }

    /** What the head's snapshot is read as; nothing if it does not match, is gone, or is passed over for an older one. */
    private CompletionStage<Optional<T>> read(Map<String, AttributeValue> head) {
        if (!criteria.matches(SnapshotItems.timestamp(head)) || SnapshotItems.isExpired(head, clock.instant())) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return CompletableFuture.completedFuture(head)
                .thenCompose(this::decode)
                .exceptionallyCompose(thrown -> olderOnFailure && !(Causes.unwrap(thrown) instanceof StoreException)
                        ? passOver(head, thrown)
                        : CompletableFuture.failedFuture(thrown));
    }

    private CompletionStage<Optional<T>> decode(Map<String, AttributeValue> head) {
        Optional<Parts.Set> set = SnapshotItems.parts(persistenceId, head);
        if (set.isEmpty()) {
            return read.apply(SnapshotItems.decode(persistenceId, head, Optional.empty()))
                    .thenApply(Optional::of);
        }
        return parts.load(set.get())
                .thenCompose(loaded -> loaded.missing() > 0
                        ? readAgain(head, set.get(), loaded.missing())
                        : read.apply(SnapshotItems.decode(
                                        persistenceId,
                                        head,
                                        Optional.of(loaded.bytes().asByteArrayUnsafe())))
                                .thenApply(Optional::of));
    }

    /** Parts are missing: because the snapshot was replaced or deleted since its head was read, or for no good reason. */
    private CompletionStage<Optional<T>> readAgain(Map<String, AttributeValue> head, Parts.Set set, int missing) {
        Map<String, AttributeValue> key = keys.key(persistenceId, set.sequenceNumber());
        return gateway.batchGet(table, List.of(key), true, gateway.budget()).thenCompose(heads -> {
            if (heads.isEmpty()) {
                return start(); // deleted since, perhaps for a newer one that was not there when this began
            }
            if (!heads.get(0).equals(head)) {
                return read(heads.get(0));
            }
            throw new VarveException(
                    "The snapshot " + set.sequenceNumber() + " of '" + persistenceId + "' lacks " + missing
                            + " of its " + set.count()
                            + " parts: something other than Varve has removed them. Restore them, delete the"
                            + " snapshot, or set load-older-on-failure = on.");
        });
    }

    private CompletionStage<Optional<T>> passOver(Map<String, AttributeValue> head, Throwable thrown) {
        LOG.warn(
                "The snapshot {} of '{}' cannot be read; an older one is tried (load-older-on-failure).",
                SnapshotItems.sequenceNumber(head),
                persistenceId,
                Causes.unwrap(thrown));
        return CompletableFuture.completedFuture(Optional.empty());
    }
}
