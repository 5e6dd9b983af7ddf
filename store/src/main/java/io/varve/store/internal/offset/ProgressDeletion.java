package io.varve.store.internal.offset;

import io.varve.store.Slices;
import io.varve.store.VarveException;
import io.varve.store.internal.async.Concurrently;
import io.varve.store.internal.async.Loop;
import io.varve.store.internal.client.Call;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.Pages;
import io.varve.store.internal.layout.Item;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/**
 * Deletes all rows of a projection.
 *
 * <p>Without them it would begin anew, and apply everything a second time. So it has to be paused wherever it has a place. That it is
 * paused is deleted last: if this stops half-way, it can be done again.
 */
final class ProgressDeletion {
    private static final int PARALLEL_SLICES = 32;

    private final Gateway gateway;
    private final OffsetRows rows;

    ProgressDeletion(Gateway gateway, OffsetRows rows) {
        this.gateway = gateway;
        this.rows = rows;
    }

    CompletionStage<Void> run() {
        List<String> partitions =
                IntStream.range(0, Slices.NUMBER).mapToObj(rows::partition).toList();
        return pauses(partitions)
                .thenCompose(pauses -> delete(partitions, row -> !isManagement(row))
                        .thenCompose(
                                done -> delete(List.of(rows.wholePartition(), rows.parkedPartition()), row -> true))
                        .thenCompose(done -> delete(pauses)));
    }

    /** The rows that say that the projection is paused; fails if it is not. */
    private CompletionStage<Collection<Item>> pauses(List<String> partitions) {
        Queue<Item> pauses = new ConcurrentLinkedQueue<>();
        Queue<String> running = new ConcurrentLinkedQueue<>();
        return Concurrently.run(partitions, PARALLEL_SLICES, partition -> {
                    Set<String> places = new HashSet<>();
                    Set<String> paused = new HashSet<>();
                    return forEachPage(ownRows(partition), page -> {
                                page.forEach(item -> note(item, places, paused));
                                page.stream()
                                        .filter(item -> isManagement(OffsetRows.row(item)))
                                        .forEach(pauses::add);
                                return CompletableFuture.completedFuture(null);
                            })
                            .thenRun(() -> {
                                if (!paused.containsAll(places)) {
                                    running.add(partition);
                                }
                            });
                })
                .thenApply(done -> {
                    if (!running.isEmpty()) {
                        throw new VarveException(
                                "Nothing was deleted: projection '" + rows.projection()
                                        + "' is not paused in " + running.size() + " of its slices, for example '"
                                        + running.peek() + "' of table " + rows.table()
                                        + ". Pause all its instances with Pekko's ProjectionManagement before you delete its progress.");
                    }
                    return pauses;
                });
    }

    /** Places and pauses, by entity type. */
    private static void note(Item item, Set<String> places, Set<String> paused) {
        String row = OffsetRows.row(item);
        if (isRow(OffsetRows.SLICE_ROW, row)) {
            places.add(row.substring(OffsetRows.SLICE_ROW.length()));
        } else if (isManagement(row) && item.flag(OffsetRows.PAUSED)) {
            paused.add(row.substring(OffsetRows.MANAGEMENT_ROW.length()));
        }
    }

    private static boolean isManagement(String row) {
        return isRow(OffsetRows.MANAGEMENT_ROW, row);
    }

    private static boolean isRow(String name, String row) {
        return row.equals(name) || row.startsWith(name + "|");
    }

    private CompletionStage<Void> delete(List<String> partitions, Predicate<String> which) {
        return Concurrently.run(
                partitions,
                PARALLEL_SLICES,
                partition -> forEachPage(
                        allRows(partition),
                        page -> delete(page.stream()
                                .filter(item -> which.test(OffsetRows.row(item)))
                                .toList())));
    }

    private CompletionStage<Void> delete(Collection<Item> items) {
        List<WriteRequest> deletes = items.stream()
                .map(item -> item.key(OffsetRows.NAME_SLICE, OffsetRows.PERSISTENCE_ID))
                .map(key -> WriteRequest.builder()
                        .deleteRequest(delete -> delete.key(key))
                        .build())
                .toList();
        return deletes.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : gateway.batchWrite(rows.table(), deletes, gateway.budget());
    }

    /** A page has the time of an operation for itself: a slice can have any number of entities. */
    private CompletionStage<Void> forEachPage(
            QueryRequest query, Function<List<Item>, ? extends CompletionStage<?>> receiver) {
        return Loop.walk(
                query,
                request -> gateway.call(Call.QUERY, request, gateway.budget())
                        .thenCompose(page -> receiver.apply(page.items().stream()
                                        .map(item -> new Item(rows.table(), item))
                                        .toList())
                                .thenApply(done -> Pages.after(page)
                                        .map(key -> request.toBuilder()
                                                .exclusiveStartKey(key)
                                                .build()))));
    }

    private QueryRequest allRows(String partition) {
        return QueryRequest.builder()
                .tableName(rows.table())
                .consistentRead(true)
                .keyConditionExpression(OffsetRows.NAME_SLICE + " = :partition")
                .expressionAttributeValues(Map.of(":partition", AttributeValue.fromS(partition)))
                .build();
    }

    /** Those that are no entity's, and those of entities whose names begin like them. */
    private QueryRequest ownRows(String partition) {
        return allRows(partition).toBuilder()
                .keyConditionExpression(OffsetRows.NAME_SLICE + " = :partition AND begins_with("
                        + OffsetRows.PERSISTENCE_ID + ", :own)")
                .expressionAttributeValues(Map.of(
                        ":partition",
                        AttributeValue.fromS(partition),
                        ":own",
                        AttributeValue.fromS(OffsetRows.SLICE_ROW)))
                .build();
    }
}
