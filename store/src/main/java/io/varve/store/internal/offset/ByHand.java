package io.varve.store.internal.offset;

import io.varve.store.internal.async.Concurrently;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.Pages;
import io.varve.store.internal.layout.Item;
import io.varve.store.internal.layout.Microseconds;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/**
 * Moves the offset of slices.
 *
 * <p>An instance that was cut off may still write. So each move begins an epoch, and what is written in a lower one does not count,
 * or is refused. First the places are stored, then what was set, which makes the move hold, and at last the rows of entities are
 * replaced. If that stops half-way, some entities still take what they have processed for processed; doing it again completes it.
 */
final class ByHand {
    private static final int PARALLEL_SLICES = 32;

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
        List<WriteRequest> sets = new ArrayList<>();
        places.forEach((slice, place) -> {
            stored.add(put(rows.encode(slice, place, epoch)));
            sets.add(put(rows.encode(slice, new SetOffset(epoch, place.setTo(), place.seen()))));
        });
        return write(rows, stored, budget)
                .thenCompose(done -> write(rows, sets, budget))
                .thenCompose(done -> Concurrently.run(
                        places.entrySet(),
                        PARALLEL_SLICES,
                        entry -> forget(rows, entry.getKey(), entry.getValue(), epoch)));
    }

    /** A slice has the time of an operation for itself: it can have any number of entities. */
    private CompletionStage<Void> forget(OffsetRows rows, int slice, SliceOffset place, long epoch) {
        Budget budget = gateway.budget();
        List<WriteRequest> seen = new ArrayList<>();
        place.seen()
                .forEach((persistenceId, number) -> seen.add(put(rows.fenced(
                        new LastProcessed(persistenceId, number, place.timestamp()),
                        epoch,
                        settings.expiry(clock.instant())))));
        return forget(rows, slice, place.setTo(), epoch, budget).thenCompose(done -> write(rows, seen, budget));
    }

    /** Replaces the rows of entities from a timestamp on. */
    private CompletionStage<Void> forget(OffsetRows rows, int slice, long from, long epoch, Budget budget) {
        QueryRequest query = QueryRequest.builder()
                .tableName(rows.table())
                .consistentRead(true)
                .keyConditionExpression(OffsetRows.NAME_SLICE + " = :slice")
                .expressionAttributeValues(Map.of(":slice", AttributeValue.fromS(rows.partition(slice))))
                .build();
        return Pages.forEach(gateway, query, budget, page -> write(rows, tombstones(rows, page, from, epoch), budget));
    }

    private List<WriteRequest> tombstones(OffsetRows rows, QueryResponse page, long from, long epoch) {
        Instant now = clock.instant();
        return page.items().stream()
                .map(item -> new Item(rows.table(), item))
                .filter(rows::isOfEntity)
                .filter(item -> !item.has(OffsetRows.TIMESTAMP) || OffsetRows.timestamp(item) >= from)
                .map(item -> put(OffsetRows.tombstone(item, epoch, now)))
                .toList();
    }

    private CompletionStage<Void> write(OffsetRows rows, List<WriteRequest> writes, Budget budget) {
        return writes.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : gateway.batchWrite(rows.table(), writes, budget);
    }

    private static WriteRequest put(Map<String, AttributeValue> item) {
        return WriteRequest.builder().putRequest(put -> put.item(item)).build();
    }
}
