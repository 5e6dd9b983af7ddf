package io.varve.store.internal.snapshot;

import io.varve.store.internal.async.Concurrently;
import io.varve.store.internal.client.WriteResult;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.Item;
import io.varve.store.internal.layout.SnapshotKeys;
import io.varve.store.table.Tables;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;

/**
 * One delete: the heads first, then what they leave behind.
 *
 * <p>A request of it can arrive long after it was given up, when another snapshot has been saved under the same number. So a head
 * goes only if it is the one that is meant: one in parts by the key of its parts, any other by its time.
 */
record Deleting(
        SnapshotRequests requests,
        SnapshotKeys keys,
        PartList list,
        InstantSource clock,
        int parallelism,
        String persistenceId) {
    private static final String IN_ONE_ITEM = "attribute_not_exists(" + SnapshotItems.PART_KEY + ")";
    private static final String THAT_TIME = IN_ONE_ITEM + " AND " + SnapshotItems.TIMESTAMP + " = :ts";
    private static final String NOT_LATER = IN_ONE_ITEM + " AND (attribute_not_exists(" + SnapshotItems.TIMESTAMP
            + ") OR " + SnapshotItems.TIMESTAMP + " <= :ts)";

    private static final String OF_THAT_SET =
            SnapshotItems.PART_KEY + " = :set AND " + SnapshotItems.TIMESTAMP + " BETWEEN :from AND :to";

    /** Deletes the snapshot of a number, if there is one. */
    CompletionStage<Void> one(long sequenceNumber) {
        Map<String, AttributeValue> key = keys.key(persistenceId, sequenceNumber);
        Criteria until = new Criteria(sequenceNumber, sequenceNumber, Instant.EPOCH, clock.instant());
        AttributeValue now = EventItems.number(until.maxTimestamp().toEpochMilli());
        return requests.delete(key, NOT_LATER, Map.of(":ts", now))
                .thenCompose(result -> result instanceof WriteResult.ConditionFailed failed
                        ? deleteFound(key, failed.existing().getOrDefault(0, Map.of()))
                        : done())
                .thenCompose(gone -> cleanUp(until));
    }

    /** Deletes all snapshots that match. */
    CompletionStage<Void> matching(Criteria criteria) {
        List<Item> found = new ArrayList<>();
        return find(criteria, found)
                .thenCompose(all -> Concurrently.run(found, parallelism, this::deleteMatching))
                .thenCompose(gone -> cleanUp(criteria));
    }

    private CompletionStage<Void> cleanUp(Criteria criteria) {
        return list.cleanUp(requests, persistenceId, entry -> deleteLate(entry, criteria));
    }

    /** A head that was not there yet when those were deleted that match: of a save that has failed, or of one beside this delete. */
    private CompletionStage<Boolean> deleteLate(PartList.Entry entry, Criteria criteria) {
        long number = entry.set().sequenceNumber();
        if (criteria.isEmpty() || number < criteria.minSequenceNumber() || number > criteria.maxSequenceNumber()) {
            return CompletableFuture.completedFuture(false);
        }
        return requests.delete(
                        keys.key(persistenceId, number),
                        OF_THAT_SET,
                        Map.of(
                                ":set", AttributeValue.fromS(entry.set().key()),
                                ":from",
                                        EventItems.number(
                                                criteria.minTimestamp().toEpochMilli()),
                                ":to", EventItems.number(criteria.maxTimestamp().toEpochMilli())))
                .thenApply(result -> !(result instanceof WriteResult.ConditionFailed));
    }

    /** The keys and times of all that match, from the local index, whose entries are small. */
    private CompletionStage<Void> find(Criteria criteria, List<Item> found) {
        if (criteria.isEmpty()) {
            return done();
        }
        QueryRequest.Builder query = QueryRequest.builder()
                .indexName(Tables.SNAPSHOT_TIME_INDEX)
                .keyConditionExpression(
                        SnapshotKeys.PARTITION + " = :par AND " + SnapshotItems.TIMESTAMP + " BETWEEN :from AND :to")
                .expressionAttributeValues(Map.of(
                        ":par", AttributeValue.fromS(keys.partition(persistenceId)),
                        ":from", EventItems.number(criteria.minTimestamp().toEpochMilli()),
                        ":to", EventItems.number(criteria.maxTimestamp().toEpochMilli())))
                .projectionExpression(
                        SnapshotKeys.PARTITION + ", " + SnapshotKeys.SEQUENCE_NUMBER + ", " + SnapshotItems.TIMESTAMP);
        return requests.pages(query, item -> {
            if (item.isBetween(
                    SnapshotKeys.SEQUENCE_NUMBER, criteria.minSequenceNumber(), criteria.maxSequenceNumber())) {
                found.add(item);
            }
        });
    }

    private CompletionStage<Void> deleteMatching(Item item) {
        Map<String, AttributeValue> key = item.key(SnapshotKeys.PARTITION, SnapshotKeys.SEQUENCE_NUMBER);
        Map<String, AttributeValue> time = item.key(SnapshotItems.TIMESTAMP);
        AttributeValue meant = time.values().iterator().next();
        return requests.delete(key, THAT_TIME, Map.of(":ts", meant)).thenCompose(result -> {
            if (!(result instanceof WriteResult.ConditionFailed failed)) {
                return done();
            }
            Map<String, AttributeValue> head = failed.existing().getOrDefault(0, Map.of());
            return meant.equals(head.get(SnapshotItems.TIMESTAMP)) ? deleteFound(key, head) : done();
        });
    }

    /** Deletes the head that was found, and no other. */
    private CompletionStage<Void> deleteFound(Map<String, AttributeValue> key, Map<String, AttributeValue> head) {
        @Nullable AttributeValue parts = head.get(SnapshotItems.PART_KEY);
        @Nullable AttributeValue time = head.get(SnapshotItems.TIMESTAMP);
        if (parts != null) {
            return requests.delete(key, SnapshotItems.PART_KEY + " = :parts", Map.of(":parts", parts))
                    .thenAccept(gone -> {});
        }
        return time == null
                ? done()
                : requests.delete(key, THAT_TIME, Map.of(":ts", time)).thenAccept(gone -> {});
    }

    private static CompletionStage<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
