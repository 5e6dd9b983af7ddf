package io.varve.store.internal.offset;

import io.varve.store.internal.client.Budget;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.layout.Item;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/**
 * Reads the rows of slices, and knows what counts of them.
 *
 * <p>An instance that was cut off can write the place of a slice after somebody has set the offset, so a place counts only if it
 * is not from a lower epoch. Older versions know no epochs: theirs counts if it names what was set, or something later. When they
 * set an offset back or clear it, they remove the row that says what was set before.
 *
 * <p>The keys were made for one entity type for each projection. The first one keeps them; others have their name in the key.
 */
final class SliceRows {
    /** How many management rows are read for a range: as many as fit into the last request for all slices. */
    private static final int MANAGEMENT_ROWS = 64;

    private final Gateway gateway;
    private final OffsetSettings settings;
    private final OffsetRows unknown;
    private volatile @Nullable OffsetRows known;

    SliceRows(Gateway gateway, OffsetSettings settings, OffsetRows rows) {
        this.gateway = gateway;
        this.settings = settings;
        this.unknown = rows;
    }

    /** The rows of a range, or some of them. */
    record Found(OffsetRows rows, Map<Integer, Item> places, boolean paused, SetOffsets sets, boolean isClaimed) {

        /** The place of a slice; absent if nothing is stored of it. */
        Optional<SliceOffset> place(int slice) {
            SetOffset set = sets.of(slice);
            @Nullable Item row = places.get(slice);
            if (row == null || (!set.equals(SetOffset.NONE) && isFromBefore(row, set))) {
                return set.equals(SetOffset.NONE) ? Optional.empty() : Optional.of(set.asPlace());
            }
            return Optional.of(OffsetRows.slicePlace(row));
        }

        /**
         * How far slices are processed. What a row says of neighbours counts if the offsets of all of them were set together, or
         * never, and it was stored since: else it may speak of a time before one of them was set back.
         */
        Map<Integer, SliceReach> reach(int minSlice, int maxSlice) {
            Map<Integer, Long> floors = new HashMap<>();
            places.forEach((number, row) -> OffsetRows.floor(row)
                    .filter(floor ->
                            OffsetRows.epoch(row).orElse(-1) == sets.of(number).epoch())
                    .ifPresent(floor -> IntStream.rangeClosed(floor.minSlice(), floor.maxSlice())
                            .filter(slice ->
                                    sets.of(slice).epoch() == sets.of(number).epoch())
                            .forEach(slice -> floors.merge(slice, floor.timestamp(), Math::max))));
            return IntStream.rangeClosed(minSlice, maxSlice)
                    .boxed()
                    .collect(Collectors.toMap(
                            slice -> slice,
                            slice -> new SliceReach(
                                    place(slice).orElse(SliceOffset.BEGINNING), floors.getOrDefault(slice, 0L))));
        }

        private static boolean isFromBefore(Item row, SetOffset set) {
            OptionalLong epoch = OffsetRows.epoch(row);
            return epoch.isPresent()
                    ? epoch.getAsLong() < set.epoch()
                    : OffsetRows.slicePlace(row).setTo() < set.timestamp();
        }

        /** Whether an older version has stored the place of a slice. */
        boolean isOfAnOlderVersion(int slice) {
            @Nullable Item row = places.get(slice);
            return row != null && OffsetRows.epoch(row).isEmpty();
        }
    }

    /** The keys of the rows of this entity type. */
    CompletionStage<OffsetRows> rows(Budget budget) {
        @Nullable OffsetRows before = known;
        return before == null
                ? settings.entityType()
                        .get()
                        .thenCompose(type -> type.isEmpty()
                                ? CompletableFuture.completedFuture(unknown)
                                : get(rows -> List.of(), budget).thenApply(Read::rows))
                : CompletableFuture.completedFuture(before);
    }

    /** These rows are those of this entity type, as the table says now. */
    void claimed(OffsetRows rows) {
        known = rows;
    }

    /** Whether the projection is paused in any of these slices. */
    CompletionStage<Boolean> isPaused(int minSlice, int maxSlice, Budget budget) {
        return get(rows -> managementKeys(rows, minSlice, maxSlice), budget).thenApply(Read::isPaused);
    }

    /** The places of a range, whether it is paused, and what was set by hand. */
    CompletionStage<Found> find(int minSlice, int maxSlice, Budget budget) {
        return get(
                        rows -> concat(
                                keys(minSlice, maxSlice, rows::sliceKey), managementKeys(rows, minSlice, maxSlice)),
                        budget)
                .thenCompose(read -> sets(read, minSlice, maxSlice, budget)
                        .thenApply(sets ->
                                new Found(read.rows(), read.places(), read.isPaused(), sets, read.isClaimed())));
    }

    /** What was set by hand in these slices; nothing is read if nobody ever did. */
    private CompletionStage<SetOffsets> sets(Read read, int minSlice, int maxSlice, Budget budget) {
        return read.isEverSet()
                ? sets(
                        read.rows(),
                        IntStream.rangeClosed(minSlice, maxSlice).boxed().toList(),
                        budget)
                : CompletableFuture.completedFuture(SetOffsets.NONE);
    }

    /** What was set by hand in these slices. */
    CompletionStage<SetOffsets> sets(OffsetRows rows, Collection<Integer> slices, Budget budget) {
        return get(slices.stream().map(rows::setKey).toList(), budget)
                .thenApply(items -> new SetOffsets(items.stream()
                        .collect(Collectors.toUnmodifiableMap(OffsetRows::slice, OffsetRows::setOffset))));
    }

    /**
     * Makes it known that there are rows of these epochs, by slice. It is, unless an older version has removed what was set: an
     * instance could not write after them.
     */
    CompletionStage<Void> remember(Map<Integer, Long> epochs, Budget budget) {
        return rows(budget)
                .thenCompose(rows -> sets(rows, epochs.keySet(), budget).thenCompose(sets -> {
                    List<Map<String, AttributeValue>> items = new ArrayList<>();
                    epochs.forEach((slice, epoch) -> {
                        SetOffset set = sets.of(slice);
                        if (set.epoch() < epoch) {
                            items.add(rows.encode(slice, new SetOffset(epoch, set.timestamp(), set.seen())));
                        }
                    });
                    items.add(rows.everSetKey());
                    return gateway.batchWrite(
                            rows.table(),
                            items.stream()
                                    .map(item -> WriteRequest.builder()
                                            .putRequest(put -> put.item(item))
                                            .build())
                                    .toList(),
                            budget);
                }));
    }

    private static List<Map<String, AttributeValue>> managementKeys(OffsetRows rows, int minSlice, int maxSlice) {
        int step = Math.max(1, (maxSlice - minSlice + 1) / MANAGEMENT_ROWS);
        return IntStream.iterate(minSlice, slice -> slice <= maxSlice, slice -> slice + step)
                .mapToObj(rows::managementKey)
                .toList();
    }

    private static List<Map<String, AttributeValue>> keys(
            int minSlice, int maxSlice, IntFunction<Map<String, AttributeValue>> key) {
        return IntStream.rangeClosed(minSlice, maxSlice).mapToObj(key).toList();
    }

    private static <T> List<T> concat(List<T> some, List<T> others) {
        return Stream.concat(some.stream(), others.stream()).toList();
    }

    /** The rows that were asked for, and those of the whole projection. */
    private record Read(OffsetRows rows, List<Item> items, List<Item> common) {

        boolean isClaimed() {
            return common.stream().anyMatch(item -> OffsetRows.row(item).equals(OffsetRows.TYPE_ROW));
        }

        boolean isEverSet() {
            return common.stream().anyMatch(item -> OffsetRows.row(item).equals(OffsetRows.EVER_SET_ROW));
        }

        boolean isPaused() {
            return items.stream().anyMatch(item -> item.flag(OffsetRows.PAUSED));
        }

        /** Without those that another entity type has written before it was known whose they are. */
        Map<Integer, Item> places() {
            return items.stream()
                    .filter(item -> item.has(OffsetRows.TIMESTAMP))
                    .filter(item -> rows.entityType().isEmpty()
                            || item.findText(OffsetRows.ENTITY_TYPE)
                                    .map(rows.entityType().get()::equals)
                                    .orElse(true))
                    .collect(Collectors.toMap(OffsetRows::slice, item -> item));
        }
    }

    private CompletionStage<Read> get(Function<OffsetRows, List<Map<String, AttributeValue>>> keys, Budget budget) {
        @Nullable OffsetRows before = known;
        CompletionStage<OffsetRows> assumed = before == null
                ? settings.entityType().get().thenApply(type -> unknown.of(type, true))
                : CompletableFuture.completedFuture(before);
        return assumed.thenCompose(rows -> get(
                        concat(keys.apply(rows), List.of(rows.typeKey(), rows.everSetKey())), budget)
                .thenCompose(items -> {
                    List<Item> common =
                            items.stream().filter(rows::isOfTheWhole).toList();
                    OffsetRows right = owned(rows, common);
                    CompletionStage<List<Item>> mine = right.equals(rows)
                            ? CompletableFuture.completedFuture(items.stream()
                                    .filter(item -> !rows.isOfTheWhole(item))
                                    .toList())
                            : get(keys.apply(right), budget);
                    return mine.thenApply(found -> new Read(right, found, common));
                }));
    }

    private OffsetRows owned(OffsetRows rows, List<Item> common) {
        Optional<Item> claim = common.stream()
                .filter(item -> OffsetRows.row(item).equals(OffsetRows.TYPE_ROW))
                .findFirst();
        if (claim.isEmpty() || rows.entityType().isEmpty()) {
            return rows;
        }
        OffsetRows right = rows.of(
                rows.entityType(),
                claim.get()
                        .text(OffsetRows.ENTITY_TYPE)
                        .equals(rows.entityType().get()));
        known = right;
        return right;
    }

    private CompletionStage<List<Item>> get(List<Map<String, AttributeValue>> keys, Budget budget) {
        return gateway.batchGet(unknown.table(), keys, true, budget)
                .thenApply(items -> items.stream()
                        .map(item -> new Item(unknown.table(), item))
                        .toList());
    }
}
