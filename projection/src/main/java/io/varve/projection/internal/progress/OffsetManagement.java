package io.varve.projection.internal.progress;

import io.varve.persistence.query.SliceOffsets;
import io.varve.projection.internal.event.ProjectionSource;
import io.varve.store.Slices;
import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.SliceOffset;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.TimestampOffset;
import org.apache.pekko.projection.ProjectionId;

/** What can be asked of the table about an instance of a projection, and changed, by hand: its offset, and whether it is paused. */
public record OffsetManagement(ProjectionId id, ProjectionSource<?> source, OffsetTable table) {

    public CompletionStage<SliceOffsets> offset() {
        return table.read(source.minSlice(), source.maxSlice()).thenApply(stored -> asOffset(stored.places()));
    }

    /** Places of slices as an offset of Pekko's. */
    public static SliceOffsets asOffset(Map<Integer, SliceOffset> places) {
        Map<Integer, TimestampOffset> offsets = new HashMap<>();
        places.forEach((slice, place) -> offsets.put(
                slice,
                SliceOffsets.timestampOffset(Microseconds.toInstant(place.timestamp()), Instant.EPOCH, place.seen())));
        return SliceOffsets.of(offsets);
    }

    public CompletionStage<Done> setOffset(Offset offset) {
        return source.journal().reads().thenCompose(reads -> {
            Map<Integer, SliceOffset> places = places(offset, reads.entityType());
            return keepOthers(places).thenCompose(saved -> table.set(places)).thenApply(set -> Done.getInstance());
        });
    }

    /** Stores that slices which are not set are at their beginning: older versions would take them for where the others are. */
    private CompletionStage<?> keepOthers(Map<Integer, SliceOffset> set) {
        if (set.size() == source.maxSlice() - source.minSlice() + 1) {
            return CompletableFuture.completedFuture(null);
        }
        return table.read(source.minSlice(), source.maxSlice()).thenCompose(stored -> {
            Map<Integer, SliceOffset> others = new HashMap<>();
            for (int slice = source.minSlice(); slice <= source.maxSlice(); slice++) {
                if (!set.containsKey(slice) && !stored.places().containsKey(slice)) {
                    others.put(slice, SliceOffset.BEGINNING);
                }
            }
            return table.save(others, stored.sets());
        });
    }

    public CompletionStage<Done> clearOffset() {
        return table.clear(source.minSlice(), source.maxSlice()).thenApply(cleared -> Done.getInstance());
    }

    public CompletionStage<Boolean> isPaused() {
        return table.isPaused(source.minSlice(), source.maxSlice());
    }

    public CompletionStage<Done> setPaused(boolean paused) {
        return table.setPaused(source.minSlice(), source.maxSlice(), paused).thenApply(set -> Done.getInstance());
    }

    private Map<Integer, SliceOffset> places(Offset offset, Optional<String> entityType) {
        Map<Integer, SliceOffset> places = new HashMap<>();
        for (int slice = source.minSlice(); slice <= source.maxSlice(); slice++) {
            int number = slice;
            Optional<TimestampOffset> at = offset instanceof SliceOffsets each
                    ? offset(each, entityType, slice)
                    : offset instanceof TimestampOffset all ? Optional.of(all) : Optional.empty();
            at.ifPresent(place -> {
                long timestamp = Microseconds.of(place.timestamp());
                Map<String, Long> seen = new HashMap<>(place.getSeen());
                seen.keySet().removeIf(persistenceId -> Slices.of(persistenceId) != number);
                places.put(number, new SliceOffset(timestamp, seen, timestamp));
            });
        }
        if (places.isEmpty()) {
            throw new IllegalArgumentException("The offset of projection " + id.id() + " cannot be set to " + offset
                    + ": give a TimestampOffset (Offset.timestamp(instant)) or SliceOffsets of its slices "
                    + source.minSlice()
                    + ".." + source.maxSlice() + ".");
        }
        return places;
    }

    /** The place of a slice, or the time before which all of it is handled. */
    private static Optional<TimestampOffset> offset(SliceOffsets offsets, Optional<String> entityType, int slice) {
        if (entityType.isEmpty()) {
            return offsets.offset(slice);
        }
        String type = entityType.get();
        return offsets.offset(type, slice)
                .or(() -> offsets.floor(type, slice)
                        .map(floor -> SliceOffsets.timestampOffset(floor, Instant.EPOCH, Map.of())));
    }
}
