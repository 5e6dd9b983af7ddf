package io.varve.store.internal.snapshot;

import io.varve.store.ItemException;
import io.varve.store.StoreException;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.async.Loop;
import io.varve.store.internal.client.Pages;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.SnapshotKeys;
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
 * @param most how many bytes a snapshot may have
 * @param olderOnFailure whether an older one is tried if the newest cannot be read; what cannot be fetched fails in any case
 * @param read what makes the result of a snapshot
 */
record Loading<T>(
        SnapshotRequests requests,
        SnapshotKeys keys,
        Parts parts,
        InstantSource clock,
        int most,
        String persistenceId,
        Criteria criteria,
        boolean olderOnFailure,
        Function<Snapshot, CompletionStage<T>> read) {

    private static final Logger LOG = LoggerFactory.getLogger(SnapshotStore.class);
    /** How many snapshots are read at once when the first one does not match. */
    private static final int NEXT_PAGE = 5;

    CompletionStage<Optional<T>> start() {
        return from(query().limit(1));
    }

    private CompletionStage<Optional<T>> from(QueryRequest.Builder query) {
        return requests.page(query)
                .thenCompose(page -> Loop.find(page.items(), this::read).thenCompose(found -> {
                    Optional<Map<String, AttributeValue>> next = Pages.after(page);
                    return found.isPresent() || next.isEmpty()
                            ? CompletableFuture.completedFuture(found)
                            : from(query().limit(NEXT_PAGE).exclusiveStartKey(next.get()));
                }));
    }

    private QueryRequest.Builder query() {
        return QueryRequest.builder()
                .keyConditionExpression(SnapshotKeys.PARTITION + " = :par AND " + SnapshotKeys.SEQUENCE_NUMBER
                        + " BETWEEN :min AND :max")
                .expressionAttributeValues(Map.of(
                        ":par", AttributeValue.fromS(keys.partition(persistenceId)),
                        ":min", EventItems.number(criteria.minSequenceNumber()),
                        ":max", EventItems.number(criteria.maxSequenceNumber())))
                .scanIndexForward(false);
    }

    /** What the head's snapshot is read as; nothing if it does not match, is gone, or is passed over for an older one. */
    private CompletionStage<Optional<T>> read(Map<String, AttributeValue> attributes) {
        return CompletableFuture.completedFuture(new SnapshotHead(persistenceId, requests.item(attributes)))
                .thenCompose(this::decodeIfMatching)
                .exceptionallyCompose(thrown -> {
                    SnapshotHead head = new SnapshotHead(persistenceId, requests.item(attributes));
                    Throwable cause = Causes.unwrap(thrown);
                    Throwable failure = cause instanceof ItemException item ? head.named(item) : cause;
                    return olderOnFailure && !(failure instanceof StoreException)
                            ? passOver(head, failure)
                            : CompletableFuture.failedFuture(failure);
                });
    }

    private CompletionStage<Optional<T>> decodeIfMatching(SnapshotHead head) {
        if (!criteria.matches(head.timestamp()) || head.isExpired(clock.instant())) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        Optional<PartSet> set = head.parts();
        return set.isEmpty()
                ? read.apply(head.decode(Optional.empty(), most)).thenApply(Optional::of)
                : decodeParts(head, set.get());
    }

    private CompletionStage<Optional<T>> decodeParts(SnapshotHead head, PartSet set) {
        long size = head.partBytes(set).orElse(most);
        if (size > most) {
            throw head.tooLarge("its parts have " + size + " bytes, and " + most + " are allowed");
        }
        return parts.load(requests, head, set, size).thenCompose(loaded -> {
            if (loaded.missing() > 0) {
                return readAgain(head, set, loaded.missing());
            }
            if (loaded.bytes().length != head.partBytes(set).orElse(loaded.bytes().length)) {
                throw head.damaged("its parts have " + loaded.bytes().length + " bytes instead of " + size, null);
            }
            return read.apply(head.decode(Optional.of(loaded.bytes()), most)).thenApply(Optional::of);
        });
    }

    /** Parts are missing: because the snapshot was replaced or deleted since its head was read, or for no good reason. */
    private CompletionStage<Optional<T>> readAgain(SnapshotHead head, PartSet set, int missing) {
        return requests.get(List.of(keys.key(persistenceId, set.sequenceNumber())))
                .thenCompose(heads -> {
                    if (heads.isEmpty()) {
                        return start(); // deleted since, perhaps for a newer one that was not there when this began
                    }
                    if (!heads.get(0).equals(head.item().attributes())) {
                        return read(heads.get(0));
                    }
                    throw head.exception(
                            "lacks " + missing + " of its " + set.count()
                                    + " parts: something other than Varve has removed them. Restore them, delete the"
                                    + " snapshot, or set load-older-on-failure = on.",
                            null);
                });
    }

    private CompletionStage<Optional<T>> passOver(SnapshotHead head, Throwable failure) {
        LOG.warn(
                "The snapshot {} of '{}' cannot be read; an older one is tried (load-older-on-failure).",
                head.shownNumber(),
                persistenceId,
                failure);
        return CompletableFuture.completedFuture(Optional.empty());
    }
}
