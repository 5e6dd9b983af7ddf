package io.varve.projection;

import io.varve.persistence.query.SliceOffsets;
import io.varve.store.layout.Slices;
import io.varve.store.offset.OffsetTable;
import io.varve.store.offset.SlicePlace;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.apache.pekko.Done;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.TimestampOffset;
import org.apache.pekko.projection.ProjectionId;

/** What can be asked of an instance of a projection, and changed, by hand: its offset, and whether it is paused. */
record Management(ProjectionId id, int minSlice, int maxSlice, int slicesPerShard, OffsetTable table) {

    CompletionStage<Optional<Offset>> offset() {
        return table.read(minSlice, maxSlice).thenApply(stored -> {
            Map<Integer, SlicePlace> places = new HashMap<>(stored.places());
            places.values().removeIf(SlicePlace::isBeginning);
            return places.isEmpty() ? Optional.empty() : Optional.of(Incarnation.offsets(places));
        });
    }

    CompletionStage<Done> setOffset(Offset offset) {
        Map<Integer, SlicePlace> places = places(offset);
        return withoutMoving(places)
                .thenCompose(others -> table.save(others))
                .thenCompose(saved -> table.set(places))
                .thenApply(set -> Done.getInstance());
    }

    /**
     * Places for the slices that have none and get none, where they are now. Otherwise they would go on where those are that are
     * set.
     */
    private CompletionStage<Map<Integer, SlicePlace>> withoutMoving(Map<Integer, SlicePlace> set) {
        if (set.size() == maxSlice - minSlice + 1) {
            return CompletableFuture.completedFuture(Map.of());
        }
        return table.read(minSlice, maxSlice).thenApply(stored -> {
            Map<Integer, Long> oldest = new HashMap<>();
            stored.places().forEach((slice, place) -> oldest.merge(shard(slice), place.timestamp(), Math::min));
            Set<Integer> shards = set.keySet().stream().map(this::shard).collect(Collectors.toSet());
            Map<Integer, SlicePlace> places = new HashMap<>();
            for (int slice = minSlice; slice <= maxSlice; slice++) {
                if (shards.contains(shard(slice))
                        && !set.containsKey(slice)
                        && !stored.places().containsKey(slice)) {
                    Long timestamp = oldest.get(shard(slice));
                    places.put(
                            slice, timestamp == null ? SlicePlace.BEGINNING : new SlicePlace(timestamp, Map.of(), 0));
                }
            }
            return places;
        });
    }

    private int shard(int slice) {
        return slice / slicesPerShard;
    }

    CompletionStage<Done> clearOffset() {
        return table.clear(minSlice, maxSlice).thenApply(cleared -> Done.getInstance());
    }

    CompletionStage<Boolean> isPaused() {
        return table.read(minSlice, maxSlice).thenApply(OffsetTable.Stored::paused);
    }

    CompletionStage<Done> setPaused(boolean paused) {
        return table.setPaused(minSlice, maxSlice, paused).thenApply(set -> Done.getInstance());
    }

    private Map<Integer, SlicePlace> places(Offset offset) {
        Map<Integer, SlicePlace> places = new HashMap<>();
        for (int slice = minSlice; slice <= maxSlice; slice++) {
            int number = slice;
            Optional<TimestampOffset> at = offset instanceof SliceOffsets each
                    ? each.offset(slice)
                    : offset instanceof TimestampOffset all ? Optional.of(all) : Optional.empty();
            at.ifPresent(place -> {
                long timestamp = Position.micros(place.timestamp());
                Map<String, Long> seen = new HashMap<>(place.getSeen());
                seen.keySet().removeIf(persistenceId -> Slices.of(persistenceId) != number);
                places.put(number, new SlicePlace(timestamp, seen, timestamp));
            });
        }
        if (places.isEmpty()) {
            throw new IllegalArgumentException("The offset of projection " + id.id() + " cannot be set to " + offset
                    + ": give a TimestampOffset (Offset.timestamp(instant)) or SliceOffsets of its slices " + minSlice
                    + ".." + maxSlice + ".");
        }
        return places;
    }
}
