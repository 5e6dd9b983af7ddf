package io.varve.projection.internal.progress;

import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.offset.SliceOffset;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The places of all slices; slices of one shard are read together. */
final class SlicePlaces {
    /** How far a place can be behind the others before it follows, in microseconds. */
    static final long QUIET = Microseconds.of(Duration.ofHours(1));
    /** The same at the end, so that the next start does not read again what was there for others. */
    static final long QUIET_AT_THE_END = Microseconds.of(Duration.ofMinutes(2));

    private final Map<Integer, SliceProgress> slices = new HashMap<>();
    private int slicesPerShard = 1;

    /** Begins; those that have no place are at their beginning. */
    void start(int minSlice, int maxSlice, int perShard, Map<Integer, SliceOffset> places) {
        slicesPerShard = perShard;
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
        followUp(quiet);
        Map<Integer, SliceOffset> changed = new HashMap<>();
        slices.forEach((number, slice) -> {
            if (slice.takeChanged()) {
                changed.put(number, slice.restart());
            }
        });
        return changed;
    }

    /**
     * Moves places that have fallen far behind, because nothing happens in their slices, to where their shard is: the query of a
     * restart reads a shard from its oldest place on, and would read again what happened since in its other slices.
     */
    private void followUp(long quiet) {
        Map<Integer, List<SliceProgress>> shards = new HashMap<>();
        slices.forEach((number, slice) -> shards.computeIfAbsent(number / slicesPerShard, shard -> new ArrayList<>())
                .add(slice));
        shards.values().forEach(shard -> followUp(shard, quiet));
    }

    private static void followUp(Collection<SliceProgress> shard, long quiet) {
        long reached = shard.stream().mapToLong(SliceProgress::reached).max().orElse(0);
        long oldestOpen =
                shard.stream().mapToLong(SliceProgress::oldestOpen).min().orElse(Long.MAX_VALUE);
        long complete = Math.min(reached, oldestOpen - 1);
        long first = shard.stream().mapToLong(SliceProgress::first).min().orElse(0);
        for (SliceProgress slice : shard) {
            long begun = slice.place().isBeginning() ? first : slice.place().timestamp();
            if (begun < complete - quiet) {
                slice.follow(complete);
            }
        }
    }
}
