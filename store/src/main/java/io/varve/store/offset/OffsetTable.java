package io.varve.store.offset;

import io.varve.store.client.Call;
import io.varve.store.client.Concurrently;
import io.varve.store.client.Gateway;
import io.varve.store.client.WriteResult;
import io.varve.store.layout.Item;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/**
 * The offsets of one projection.
 *
 * <p>The number of its instances is not part of any key, so that it can be changed. All reads are consistent.
 */
public final class OffsetTable {
    /** How many management rows are read for a range: as many as fit into the last request for all slices. */
    private static final int MANAGEMENT_ROWS = 64;

    private static final int PARALLEL_SLICES = 32;

    private final Gateway gateway;
    private final OffsetRows rows;
    private final Optional<Duration> timeToLive;
    private final InstantSource clock;

    /** The rows of a projection of that name; entities' rows expire if there is a time to live. */
    public OffsetTable(
            Gateway gateway, String table, String projection, Optional<Duration> timeToLive, InstantSource clock) {
        this.gateway = gateway;
        this.rows = new OffsetRows(table, projection);
        this.timeToLive = timeToLive;
        this.clock = clock;
    }

    /** What is stored of a range of slices. */
    public record Stored(Map<Integer, SlicePlace> places, boolean paused) {}

    /** The name of the table. */
    public String name() {
        return rows.table();
    }

    /** Reads the places of slices, and whether the projection is paused in any. */
    public CompletionStage<Stored> read(int minSlice, int maxSlice) {
        List<Map<String, AttributeValue>> keys = new ArrayList<>();
        IntStream.rangeClosed(minSlice, maxSlice).mapToObj(rows::sliceKey).forEach(keys::add);
        int step = Math.max(1, (maxSlice - minSlice + 1) / MANAGEMENT_ROWS);
        for (int slice = minSlice; slice <= maxSlice; slice += step) {
            keys.add(rows.managementKey(slice));
        }
        return gateway.batchGet(rows.table(), keys, true, gateway.budget()).thenApply(items -> {
            Map<Integer, SlicePlace> places = new HashMap<>();
            boolean paused = false;
            for (Map<String, AttributeValue> attributes : items) {
                Item item = new Item(rows.table(), attributes);
                if (OffsetRows.row(item).equals(OffsetRows.MANAGEMENT_ROW)) {
                    paused |= item.flag(OffsetRows.PAUSED);
                } else {
                    places.put(OffsetRows.slice(item), OffsetRows.slicePlace(item));
                }
            }
            return new Stored(Map.copyOf(places), paused);
        });
    }

    /** Reads which events of these entities were processed last. Rows that have expired count as gone. */
    public CompletionStage<Map<String, LastProcessed>> lastProcessed(Collection<String> persistenceIds) {
        Instant now = clock.instant();
        return entities(persistenceIds, item -> !OffsetRows.isExpired(item, now));
    }

    /** As {@link #lastProcessed}, with rows that have expired and are still there: those that conditions of writes see. */
    public CompletionStage<Map<String, LastProcessed>> lastStored(Collection<String> persistenceIds) {
        return entities(persistenceIds, item -> true);
    }

    private CompletionStage<Map<String, LastProcessed>> entities(
            Collection<String> persistenceIds, Predicate<Item> counts) {
        List<Map<String, AttributeValue>> keys =
                persistenceIds.stream().map(rows::entityKey).toList();
        return gateway.batchGet(rows.table(), keys, true, gateway.budget())
                .thenApply(items -> items.stream()
                        .map(item -> new Item(rows.table(), item))
                        .filter(counts)
                        .map(OffsetRows::lastProcessed)
                        .collect(Collectors.toMap(LastProcessed::persistenceId, last -> last)));
    }

    /** Stores the progress of entities after it was made; a row that is newer by then is not looked at. */
    public CompletionStage<Void> save(Collection<LastProcessed> entities) {
        return write(entities.stream()
                .map(last -> rows.encode(last, expiry()))
                .map(OffsetTable::put)
                .toList());
    }

    /** Stores the places of slices, which must not be ahead of the entities' rows. */
    public CompletionStage<Void> save(Map<Integer, SlicePlace> places) {
        return write(places.entrySet().stream()
                .map(entry -> put(rows.encode(entry.getKey(), entry.getValue())))
                .toList());
    }

    /**
     * Stores items together with the progress of entities, all or nothing. If a condition fails, those of {@code items} have the
     * indexes from 0 on, those of the entities follow.
     */
    public CompletionStage<WriteResult> transact(List<TransactWriteItem> items, List<Advance> advances) {
        List<TransactWriteItem> actions = new ArrayList<>(items);
        advances.forEach(advance -> actions.add(TransactWriteItem.builder()
                .put(rows.put(advance, expiry(), clock.instant()))
                .build()));
        return gateway.transactWriteItems(actions, gateway.budget());
    }

    /** Pauses or resumes the projection in a range of slices. */
    public CompletionStage<Void> setPaused(int minSlice, int maxSlice, boolean paused) {
        return write(IntStream.rangeClosed(minSlice, maxSlice)
                .mapToObj(rows::managementKey)
                .map(key -> {
                    Map<String, AttributeValue> item = new HashMap<>(key);
                    item.put(OffsetRows.PAUSED, AttributeValue.fromBool(paused));
                    return put(item);
                })
                .toList());
    }

    /**
     * Makes slices go on from places: what their entities have processed after them is forgotten, and what the places have seen is
     * processed. If it fails half-way, some entities still take what they have processed after the place for processed; doing it
     * again completes it.
     */
    public CompletionStage<Void> set(Map<Integer, SlicePlace> places) {
        List<LastProcessed> seen = new ArrayList<>();
        places.values()
                .forEach(place -> place.seen()
                        .forEach((persistenceId, number) ->
                                seen.add(new LastProcessed(persistenceId, number, place.timestamp()))));
        return save(places)
                .thenCompose(saved -> Concurrently.run(
                        places.entrySet(),
                        PARALLEL_SLICES,
                        entry -> forget(entry.getKey(), entry.getValue().timestamp(), Map.of())))
                .thenCompose(forgotten -> save(seen));
    }

    /** Forgets all progress in a range of slices. */
    public CompletionStage<Void> clear(int minSlice, int maxSlice) {
        return Concurrently.run(
                IntStream.rangeClosed(minSlice, maxSlice).boxed().toList(),
                PARALLEL_SLICES,
                slice -> forget(slice, Long.MIN_VALUE, Map.of()));
    }

    /** Deletes the rows of entities from a timestamp on, and a later place; never the row that says whether it is paused. */
    private CompletionStage<Void> forget(int slice, long from, Map<String, AttributeValue> startKey) {
        QueryRequest.Builder query = QueryRequest.builder()
                .tableName(rows.table())
                .consistentRead(true)
                .keyConditionExpression(OffsetRows.NAME_SLICE + " = :slice")
                .expressionAttributeValues(Map.of(":slice", AttributeValue.fromS(rows.partition(slice))));
        if (!startKey.isEmpty()) {
            query.exclusiveStartKey(startKey);
        }
        return gateway.call(Call.QUERY, query.build(), gateway.budget())
                .thenCompose(page -> write(deletions(page, from))
                        .thenCompose(done -> page.hasLastEvaluatedKey()
                                        && !page.lastEvaluatedKey().isEmpty()
                                ? forget(slice, from, page.lastEvaluatedKey())
                                : CompletableFuture.completedFuture(null)));
    }

    private List<WriteRequest> deletions(QueryResponse page, long from) {
        return page.items().stream()
                .map(item -> new Item(rows.table(), item))
                .filter(item -> !OffsetRows.row(item).equals(OffsetRows.MANAGEMENT_ROW))
                .filter(item -> OffsetRows.timestamp(item)
                        >= (OffsetRows.row(item).equals(OffsetRows.SLICE_ROW) ? from + 1 : from))
                .map(item -> item.key(OffsetRows.NAME_SLICE, OffsetRows.PERSISTENCE_ID))
                .map(key -> WriteRequest.builder()
                        .deleteRequest(delete -> delete.key(key))
                        .build())
                .toList();
    }

    private CompletionStage<Void> write(List<WriteRequest> writes) {
        return writes.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : gateway.batchWrite(rows.table(), writes, gateway.budget());
    }

    private static WriteRequest put(Map<String, AttributeValue> item) {
        return WriteRequest.builder().putRequest(put -> put.item(item)).build();
    }

    private Optional<Instant> expiry() {
        return timeToLive.map(time -> clock.instant().plus(time));
    }
}
