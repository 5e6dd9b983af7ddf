package io.varve.store.internal.offset;

import io.varve.store.VarveException;
import io.varve.store.internal.async.Concurrently;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.Pages;
import io.varve.store.internal.client.WriteResult;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.Item;
import io.varve.store.internal.layout.Microseconds;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/**
 * Moves the offset of slices.
 *
 * <p>An instance that was cut off may still write. So each move begins an epoch, and what is written in a lower one does not count,
 * or is refused. First the places are stored, then what was set, which makes the move hold, and at last the rows of entities are
 * replaced. What was set, and these rows, replace only rows of earlier epochs. If that stops half-way, some entities still take what
 * they have processed for processed; doing it again completes it.
 */
final class ByHand {
    private static final int PARALLEL_SLICES = 32;
    private static final int PARALLEL_ENTITIES = 8;
    private static final String IF_EARLIER =
            "(attribute_not_exists(" + OffsetRows.EPOCH + ") OR " + OffsetRows.EPOCH + " < :epoch)"
                    + " AND (attribute_not_exists(" + OffsetRows.SAVED + ") OR " + OffsetRows.SAVED + " < :epoch)";

    private final Gateway gateway;
    private final SliceRows slices;
    private final OffsetSettings settings;
    private final InstantSource clock;

    ByHand(Gateway gateway, SliceRows slices, OffsetSettings settings, InstantSource clock) {
        this.gateway = gateway;
        this.slices = slices;
        this.settings = settings;
        this.clock = clock;
    }

    /** Where slices go on: what their entities have processed from there on is forgotten, what the places have seen is processed. */
    CompletionStage<Void> move(Map<Integer, SliceOffset> places) {
        Budget budget = gateway.budget();
        return slices.rows(budget)
                .thenCompose(rows -> slices.sets(rows, places.keySet(), budget)
                        .thenCompose(before -> move(rows, places, epochAfter(before), budget)));
    }

    /** The time of the move, or later. */
    private long epochAfter(SetOffsets before) {
        return LongStream.concat(
                        LongStream.of(Microseconds.of(clock.instant())),
                        before.bySlice().values().stream().mapToLong(set -> set.epoch() + 1))
                .max()
                .orElseThrow();
    }

    private CompletionStage<Void> move(OffsetRows rows, Map<Integer, SliceOffset> places, long epoch, Budget budget) {
        List<WriteRequest> stored = new ArrayList<>();
        stored.add(put(rows.everSetKey()));
        places.forEach((slice, place) -> stored.add(put(rows.encode(slice, place, epoch))));
        return gateway.batchWrite(rows.table(), stored, budget)
                .thenCompose(done -> Concurrently.run(
                        places.entrySet(),
                        PARALLEL_SLICES,
                        entry -> set(rows, entry.getKey(), entry.getValue(), epoch, budget)))
                .thenCompose(done -> Concurrently.run(
                        places.entrySet(),
                        PARALLEL_SLICES,
                        entry -> forget(rows, entry.getKey(), entry.getValue(), epoch)));
    }

    private CompletionStage<Void> set(OffsetRows rows, int slice, SliceOffset place, long epoch, Budget budget) {
        SetOffset set = new SetOffset(epoch, place.setTo(), place.seen());
        return putIfEarlier(rows, rows.encode(slice, set), epoch, budget).thenAccept(result -> {
            if (result instanceof WriteResult.ConditionFailed failed
                    && OffsetRows.setOffset(new Item(
                                            rows.table(), failed.existing().getOrDefault(0, Map.of())))
                                    .epoch()
                            > epoch) {
                throw new VarveException(
                        "The offset of slice " + slice + " of projection '" + rows.projection()
                                + "' was set by somebody else at the same time, and that one holds. Set it again if it should be another.");
            }
        });
    }

    /** A slice has the time of an operation for itself: it can have any number of entities. */
    private CompletionStage<Void> forget(OffsetRows rows, int slice, SliceOffset place, long epoch) {
        Budget budget = gateway.budget();
        Map<Map<String, AttributeValue>, Map<String, AttributeValue>> seen = new HashMap<>();
        place.seen().forEach((persistenceId, number) -> {
            LastProcessed last = new LastProcessed(persistenceId, number, place.timestamp());
            seen.put(rows.entityKey(persistenceId), rows.fenced(last, epoch, settings.expiry(clock.instant())));
        });
        QueryRequest query = QueryRequest.builder()
                .tableName(rows.table())
                .consistentRead(true)
                .keyConditionExpression(OffsetRows.NAME_SLICE + " = :slice")
                .expressionAttributeValues(Map.of(":slice", AttributeValue.fromS(rows.partition(slice))))
                .build();
        return replace(rows, seen.values(), epoch, budget)
                .thenCompose(done -> Pages.forEach(
                        gateway,
                        query,
                        budget,
                        page -> replace(rows, tombstones(rows, page, place.setTo(), epoch), epoch, budget)));
    }

    private List<Map<String, AttributeValue>> tombstones(OffsetRows rows, QueryResponse page, long from, long epoch) {
        Instant now = clock.instant();
        return page.items().stream()
                .map(item -> new Item(rows.table(), item))
                .filter(rows::isOfEntity)
                .filter(item -> !item.has(OffsetRows.TIMESTAMP) || OffsetRows.timestamp(item) >= from)
                .map(item -> OffsetRows.tombstone(item, epoch, now))
                .toList();
    }

    private CompletionStage<Void> replace(
            OffsetRows rows, Collection<Map<String, AttributeValue>> items, long epoch, Budget budget) {
        return Concurrently.run(items, PARALLEL_ENTITIES, item -> putIfEarlier(rows, item, epoch, budget));
    }

    /**
     * Puts a row unless there is one of this epoch, or of a later one. A request that was sent again can arrive long after the move is
     * over, when events have been processed since.
     */
    private CompletionStage<WriteResult> putIfEarlier(
            OffsetRows rows, Map<String, AttributeValue> item, long epoch, Budget budget) {
        return gateway.putItem(
                PutItemRequest.builder()
                        .tableName(rows.table())
                        .item(item)
                        .conditionExpression(IF_EARLIER)
                        .expressionAttributeValues(Map.of(":epoch", EventItems.number(epoch)))
                        .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)
                        .build(),
                budget);
    }

    private static WriteRequest put(Map<String, AttributeValue> item) {
        return WriteRequest.builder().putRequest(put -> put.item(item)).build();
    }
}
