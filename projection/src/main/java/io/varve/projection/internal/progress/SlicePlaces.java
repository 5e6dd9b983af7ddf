package io.varve.projection.internal.progress;

import io.varve.projection.internal.event.EntityEvents;
import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.offset.SliceFloor;
import io.varve.store.internal.offset.SliceOffset;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The places of all slices; slices of one shard are read together. */
final class SlicePlaces {
    /** How far a place can be behind the others before it follows, in microseconds. */
    static final long QUIET = Microseconds.of(Duration.ofHours(1));
    /** The same at the end, so that the next start does not read again what was there for others. */
    static final long QUIET_AT_THE_END = Microseconds.of(Duration.ofMinutes(2));

    private final Map<Integer, SliceProgress> slices = new HashMap<>();
    /** By shard, up to which time rows say that it is complete. */
    private final Map<Integer, Long> floors = new HashMap<>();

    private int slicesPerShard = 1;
    private long window;

    /** Begins; those that have no place are at their beginning. */
    void start(int minSlice, int maxSlice, EntityEvents.Reads reads, Map<Integer, SliceOffset> places) {
        slicesPerShard = reads.slicesPerShard().orElse(1);
        window = Microseconds.of(reads.window());
        for (int number = minSlice; number <= maxSlice; number++) {
            slice(number).start(places.getOrDefault(number, SliceOffset.BEGINNING));
        }
    }

    SliceProgress slice(int number) {
        return slices.computeIfAbsent(number, ignored -> new SliceProgress());
    }

    Map<Integer, SliceOffset> all() {
        return slices.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().place()));
    }

    /** Those that are stored, of the slices that are not at their beginning. */
    Map<Integer, SliceOffset> stored() {
        Map<Integer, SliceOffset> stored = new HashMap<>();
        slices.forEach((number, slice) -> {
            if (!slice.stored().isBeginning()) {
                stored.put(number, slice.stored());
            }
        });
        return stored;
    }

    /** Those that have changed since the last call, after quiet slices have followed. */
    Map<Integer, SliceOffset> takeChanged(long quiet) {
        Map<Integer, SliceOffset> changed = new HashMap<>();
        shards().forEach((number, shard) -> {
            followUp(shard.values(), quiet);
            raiseFloor(number, shard.values());
            shard.forEach((slice, progress) -> progress.takeChanged().ifPresent(place -> changed.put(slice, place)));
        });
        return changed;
    }

    /** A row that is stored also says how far its shard is complete. If nothing but that has changed, one is stored for it. */
    private void raiseFloor(int number, Collection<SliceProgress> shard) {
        long before = floors.getOrDefault(number, 0L);
        long complete = complete(shard) - 1;
        if (complete > before && shard.size() > 1) {
            floors.put(number, complete);
            if (shard.stream().noneMatch(SliceProgress::isChanged)) {
                furthest(shard).notStored();
            }
        }
    }

    /** What the rows of these slices say of their neighbours. */
    Map<Integer, SliceFloor> floors(Set<Integer> numbers) {
        Map<Integer, SliceFloor> said = new HashMap<>();
        Map<Integer, NavigableMap<Integer, SliceProgress>> shards = shards();
        numbers.forEach(number -> {
            int shard = number / slicesPerShard;
            long floor = floors.getOrDefault(shard, 0L);
            NavigableMap<Integer, SliceProgress> neighbours = shards.get(shard);
            if (floor > 0 && neighbours != null) {
                said.put(number, new SliceFloor(floor, neighbours.firstKey(), neighbours.lastKey()));
            }
        });
        return said;
    }

    private static SliceProgress furthest(Collection<SliceProgress> shard) {
        return shard.stream()
                .max(Comparator.comparingLong(slice -> slice.place().timestamp()))
                .orElseThrow();
    }

    /** Whether a restart would miss an event on its way, of any slice. */
    boolean skipAny() {
        return slices.values().stream().anyMatch(slice -> slice.skips(window));
    }

    /** Of some slices, those of which a restart would miss an event on its way, and where it must begin instead. */
    Map<Integer, SliceOffset> skipped(Set<Integer> numbers) {
        return numbers.stream()
                .filter(number -> slice(number).skips(window))
                .collect(Collectors.toMap(
                        number -> number, number -> slice(number).restart()));
    }

    private Map<Integer, NavigableMap<Integer, SliceProgress>> shards() {
        Map<Integer, NavigableMap<Integer, SliceProgress>> shards = new HashMap<>();
        slices.forEach((number, slice) -> shards.computeIfAbsent(number / slicesPerShard, shard -> new TreeMap<>())
                .put(number, slice));
        return shards;
    }

    /**
     * Moves places that have fallen far behind, because nothing happens in their slices, to where their shard is: the query of a
     * restart reads a shard from its oldest place on, and would read again what happened since in its other slices.
     */
    private static void followUp(Collection<SliceProgress> shard, long quiet) {
        long complete = complete(shard);
        long first = shard.stream().mapToLong(SliceProgress::first).min().orElse(0);
        for (SliceProgress slice : shard) {
            long begun = slice.place().isBeginning() ? first : slice.place().timestamp();
            if (begun < complete - quiet) {
                slice.follow(complete);
            }
        }
    }

    /** The newest event that is complete, or the time before the oldest that is not. */
    private static long complete(Collection<SliceProgress> shard) {
        long reached = shard.stream().mapToLong(SliceProgress::reached).max().orElse(0);
        long oldestOpen =
                shard.stream().mapToLong(SliceProgress::oldestOpen).min().orElse(Long.MAX_VALUE);
        return Math.min(reached, oldestOpen - 1);
    }
}
