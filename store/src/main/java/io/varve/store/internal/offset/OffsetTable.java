package io.varve.store.internal.offset;

import io.varve.store.OffsetWasSetException;
import io.varve.store.Slices;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.WriteResult;
import io.varve.store.internal.layout.Item;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/**
 * The offsets of one projection.
 *
 * <p>The number of its instances is not part of any key, so that it can be changed. All reads are consistent. What an instance
 * writes carries the epochs that it has found at its start: when somebody sets the offset meanwhile, it no longer counts.
 */
public final class OffsetTable {
    private final Gateway gateway;
    private final OffsetRows rows;
    private final OffsetSettings settings;
    private final InstantSource clock;
    private final SliceRows slices;
    private final EntityTransactions transactions;
    private final ByHand byHand;

    /** The rows of a projection of that name. */
    public OffsetTable(Gateway gateway, String table, String projection, OffsetSettings settings, InstantSource clock) {
        this.gateway = gateway;
        this.rows = new OffsetRows(table, projection, Optional.empty(), true);
        this.settings = settings;
        this.clock = clock;
        this.slices = new SliceRows(gateway, settings, rows);
        this.transactions = new EntityTransactions(gateway, rows, slices, settings, clock);
        this.byHand = new ByHand(gateway, slices, settings, clock);
    }

    /**
     * What is stored of a range of slices.
     *
     * @param places of the slices that are not at their beginning
     */
    public record Stored(Map<Integer, SliceOffset> places, boolean paused, SetOffsets sets) {}

    /** The entities of this projection that are set aside. */
    public ParkedRows parked() {
        return new ParkedRows(gateway, rows.table(), rows.projection(), settings, clock);
    }

    /** The name of the table. */
    public String name() {
        return rows.table();
    }

    /** Reads the places of slices, and whether the projection is paused in any. */
    public CompletionStage<Stored> read(int minSlice, int maxSlice) {
        return slices.find(minSlice, maxSlice, gateway.budget()).thenApply(found -> stored(found, minSlice, maxSlice));
    }

    /** Whether the projection is paused in any of these slices. */
    public CompletionStage<Boolean> isPaused(int minSlice, int maxSlice) {
        return slices.isPaused(minSlice, maxSlice, gateway.budget());
    }

    /**
     * Reads how far slices are processed, for whoever asks from outside. What counts of the neighbours of a slice is taken from
     * rows in the same range.
     */
    public CompletionStage<Map<Integer, SliceReach>> reach(int minSlice, int maxSlice) {
        return slices.find(minSlice, maxSlice, gateway.budget()).thenApply(found -> found.reach(minSlice, maxSlice));
    }

    private static Stored stored(SliceRows.Found found, int minSlice, int maxSlice) {
        Map<Integer, SliceOffset> places = new HashMap<>();
        for (int slice = minSlice; slice <= maxSlice; slice++) {
            int number = slice;
            found.place(slice).filter(place -> !place.isBeginning()).ifPresent(place -> places.put(number, place));
        }
        return new Stored(places, found.paused(), found.sets());
    }

    /**
     * Reads what {@link #read} does for an instance that begins to process these slices. A slice of which nothing is stored begins
     * at its beginning. Where an older version would take it to be where its neighbours are, that is stored.
     *
     * @param slicesPerShard how many slices are read together in the order of time, if that is known
     */
    public CompletionStage<Stored> start(int minSlice, int maxSlice, OptionalInt slicesPerShard) {
        Budget budget = gateway.budget();
        return slices.find(minSlice, maxSlice, budget).thenCompose(found -> {
            Stored stored = stored(found, minSlice, maxSlice);
            List<WriteRequest> writes = new ArrayList<>();
            unsaid(found, minSlice, maxSlice, slicesPerShard)
                    .forEach(slice -> writes.add(put(found.rows().encode(slice, SliceOffset.BEGINNING, 0))));
            if (!found.isClaimed()) {
                found.rows().claim().ifPresent(claim -> writes.add(put(claim)));
            }
            return write(writes, budget).thenApply(done -> {
                slices.claimed(found.rows());
                return stored;
            });
        });
    }

    /** The slices of which nothing is stored, and an older version would infer something from rows of its own, or of others. */
    private static List<Integer> unsaid(SliceRows.Found found, int minSlice, int maxSlice, OptionalInt slicesPerShard) {
        int size = slicesPerShard.orElse(Slices.NUMBER);
        List<Integer> unsaid = new ArrayList<>();
        for (int start = minSlice; start <= maxSlice; start = (start / size + 1) * size) {
            int first = start;
            int last = Math.min(maxSlice, (start / size + 1) * size - 1);
            boolean partOfAShard = slicesPerShard.isPresent() && last - first + 1 < size;
            if (partOfAShard || IntStream.rangeClosed(first, last).anyMatch(found::isOfAnOlderVersion)) {
                IntStream.rangeClosed(first, last)
                        .filter(slice -> found.place(slice).isEmpty())
                        .forEach(unsaid::add);
            }
        }
        return unsaid;
    }

    /**
     * Reads which events of these entities were processed last. Rows that have expired count as gone, and those that an instance
     * has saved later that did not know what was set.
     */
    public CompletionStage<Map<String, LastProcessed>> lastProcessed(
            Collection<String> persistenceIds, SetOffsets sets) {
        return load(persistenceIds, sets)
                .thenApply(found -> found.values().stream()
                        .map(EntityRow::last)
                        .filter(last -> last.sequenceNumber() > 0)
                        .collect(Collectors.toMap(LastProcessed::persistenceId, last -> last)));
    }

    /** As {@link #lastProcessed}, also where entities are set aside; of those that have a row that counts. */
    public CompletionStage<Map<String, EntityRow>> load(Collection<String> persistenceIds, SetOffsets sets) {
        Instant now = clock.instant();
        return entities(persistenceIds, sets).thenApply(items -> {
            Map<String, EntityRow> all = new HashMap<>();
            for (String persistenceId : persistenceIds) {
                SetOffset set = sets.of(Slices.of(persistenceId));
                Optional<Item> row = Optional.ofNullable(items.get(persistenceId));
                Optional<EntityRow.ParkedAt> parked = row.flatMap(item -> OffsetRows.parkedAt(item, set));
                LastProcessed last =
                        lastProcessed(row, persistenceId, set, now).orElse(new LastProcessed(persistenceId, 0, 0));
                if (last.sequenceNumber() > 0 || parked.isPresent()) {
                    all.put(persistenceId, new EntityRow(last, parked));
                }
            }
            return all;
        });
    }

    private static Optional<LastProcessed> lastProcessed(
            Optional<Item> row, String persistenceId, SetOffset set, Instant now) {
        Optional<LastProcessed> stored = row.filter(
                        item -> !OffsetRows.isExpired(item, now) && !isFromBefore(item, set))
                .map(OffsetRows::lastProcessed)
                .filter(last -> last.sequenceNumber() > 0);
        Optional<LastProcessed> seen = Optional.ofNullable(set.seen().get(persistenceId))
                .map(number -> new LastProcessed(persistenceId, number, set.timestamp()));
        return seen.isPresent() && stored.map(LastProcessed::timestamp).orElse(0L) < set.timestamp() ? seen : stored;
    }

    private static boolean isFromBefore(Item row, SetOffset set) {
        return OffsetRows.saved(row).orElse(Long.MAX_VALUE) < set.epoch()
                && OffsetRows.timestamp(row) >= set.timestamp();
    }

    /** All rows of these entities, also those that have expired and are still there: those that conditions of writes see. */
    public CompletionStage<Map<String, LastProcessed>> lastStored(Collection<String> persistenceIds, SetOffsets sets) {
        return entities(persistenceIds, sets)
                .thenApply(items -> items.values().stream()
                        .map(OffsetRows::lastProcessed)
                        .collect(Collectors.toMap(LastProcessed::persistenceId, last -> last)));
    }

    /**
     * The row of an entity, whoever has written it and when: what it names was processed, though it may not count any more because
     * somebody has set the offset since.
     */
    public CompletionStage<Optional<LastProcessed>> lastStored(String persistenceId) {
        return gateway.batchGet(rows.table(), List.of(rows.entityKey(persistenceId)), true, gateway.budget())
                .thenApply(found -> found.stream()
                        .map(item -> OffsetRows.lastProcessed(new Item(rows.table(), item)))
                        .filter(last -> last.sequenceNumber() > 0)
                        .findFirst());
    }

    private CompletionStage<Map<String, Item>> entities(Collection<String> persistenceIds, SetOffsets sets) {
        Budget budget = gateway.budget();
        List<Map<String, AttributeValue>> keys =
                persistenceIds.stream().map(rows::entityKey).toList();
        return gateway.batchGet(rows.table(), keys, true, budget).thenCompose(found -> {
            Map<String, Item> items = found.stream()
                    .map(item -> new Item(rows.table(), item))
                    .collect(Collectors.toMap(OffsetRows::row, item -> item));
            Map<Integer, Long> newer = new HashMap<>();
            items.values().forEach(item -> {
                int slice = OffsetRows.slice(item);
                long epoch = Math.max(
                        OffsetRows.epoch(item).orElse(0), OffsetRows.saved(item).orElse(0));
                if (epoch > sets.of(slice).epoch()) {
                    newer.merge(slice, epoch, Math::max);
                }
            });
            return newer.isEmpty() ? CompletableFuture.completedFuture(items) : wasSet(newer, budget);
        });
    }

    /**
     * Fails with {@link OffsetWasSetException}, because somebody has written what he processed with these epochs, which are newer than
     * those that an instance has found at its start.
     */
    public <T> CompletionStage<T> wasSet(Map<Integer, Long> newer) {
        return wasSet(newer, gateway.budget());
    }

    private <T> CompletionStage<T> wasSet(Map<Integer, Long> newer, Budget budget) {
        return slices.remember(newer, budget)
                .thenCompose(done -> CompletableFuture.failedFuture(rows.wasSet(newer.keySet())));
    }

    /** Stores the progress of entities after it was made; a row that is newer by then is not looked at. */
    public CompletionStage<Void> save(Collection<LastProcessed> entities, SetOffsets sets) {
        Optional<Instant> expiry = settings.expiry(clock.instant());
        return write(
                entities.stream()
                        .map(last -> rows.saved(last, EntityTransactions.epoch(last, sets), expiry))
                        .map(OffsetTable::put)
                        .toList(),
                gateway.budget());
    }

    /** Stores the places of slices, which must not be ahead of the entities' rows. */
    public CompletionStage<Void> save(Map<Integer, SliceOffset> places, SetOffsets sets) {
        return save(places, Map.of(), sets);
    }

    /**
     * As the other one.
     *
     * @param floors by slice, what its row says of its neighbours
     */
    public CompletionStage<Void> save(
            Map<Integer, SliceOffset> places, Map<Integer, SliceFloor> floors, SetOffsets sets) {
        Budget budget = gateway.budget();
        return slices.rows(budget).thenCompose(ours -> {
            List<WriteRequest> writes = new ArrayList<>();
            places.forEach((slice, place) -> {
                long epoch = sets.of(slice).epoch();
                @Nullable SliceFloor floor = floors.get(slice);
                writes.add(put(
                        floor == null ? ours.encode(slice, place, epoch) : ours.encode(slice, place, epoch, floor)));
            });
            return write(writes, budget);
        });
    }

    /** How many actions {@link #transact} adds to the items. */
    public static int actions(List<Advance> advances) {
        return EntityTransactions.actions(advances);
    }

    /**
     * Stores items together with the progress of entities, all or nothing. If a condition fails, those of {@code items} have the
     * indexes from 0 on, those of the entities follow. Fails with {@link OffsetWasSetException} if events were passed over that no
     * longer count as processed.
     */
    public CompletionStage<WriteResult> transact(
            List<TransactWriteItem> items, List<Advance> advances, SetOffsets sets) {
        return transactions.transact(items, advances, sets, gateway.budget());
    }

    /**
     * Stores the progress of entities whose other events {@link #transact} stores, except where more is stored, and where somebody
     * has set the offset again since: others may have been passed over before them.
     */
    public CompletionStage<Void> raise(Collection<LastProcessed> entities, SetOffsets sets) {
        return transactions.raise(
                entities, rows::fenced, slice -> sets.of(slice).timestamp() > 0, sets, gateway.budget());
    }

    /**
     * Stores the progress of entities whose other events {@link #save} stores, except where more is stored. Those may be in a row
     * that does not count any more, so that this must not either.
     */
    public CompletionStage<Void> raiseSaved(Collection<LastProcessed> entities, SetOffsets sets) {
        return transactions.raise(entities, rows::saved, slice -> false, sets, gateway.budget());
    }

    /** Pauses or resumes the projection in a range of slices. */
    public CompletionStage<Void> setPaused(int minSlice, int maxSlice, boolean paused) {
        Budget budget = gateway.budget();
        return slices.rows(budget)
                .thenCompose(ours -> write(
                        IntStream.rangeClosed(minSlice, maxSlice)
                                .mapToObj(ours::managementKey)
                                .map(key -> {
                                    Map<String, AttributeValue> item = new HashMap<>(key);
                                    item.put(OffsetRows.PAUSED, AttributeValue.fromBool(paused));
                                    return put(item);
                                })
                                .toList(),
                        budget));
    }

    /**
     * Makes slices go on from places: what their entities have processed after them is forgotten, and what the places have seen is
     * processed. If it fails half-way, some entities still take what they have processed after the place for processed; doing it
     * again completes it.
     */
    public CompletionStage<Void> set(Map<Integer, SliceOffset> places) {
        return byHand.move(places);
    }

    /** Forgets all progress in a range of slices. */
    public CompletionStage<Void> clear(int minSlice, int maxSlice) {
        return byHand.move(IntStream.rangeClosed(minSlice, maxSlice)
                .boxed()
                .collect(Collectors.toMap(slice -> slice, slice -> SliceOffset.BEGINNING)));
    }

    /**
     * Deletes all rows, of all entity types. Fails, and deletes nothing, if the projection is not paused wherever it has a place. If it
     * fails half-way, doing it again completes it.
     */
    public CompletionStage<Void> deleteAll() {
        return new ProgressDeletion(gateway, rows).run();
    }

    private CompletionStage<Void> write(List<WriteRequest> writes, Budget budget) {
        return writes.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : gateway.batchWrite(rows.table(), writes, budget);
    }

    private static WriteRequest put(Map<String, AttributeValue> item) {
        return WriteRequest.builder().putRequest(put -> put.item(item)).build();
    }
}
