package io.varve.projection;

import io.varve.persistence.query.SliceOffsets;
import io.varve.store.layout.Slices;
import io.varve.store.offset.OffsetTable;
import io.varve.store.offset.SlicePlace;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.TimestampOffset;
import org.apache.pekko.projection.ProjectionId;

/** What can be asked of an instance of a projection, and changed, by hand: its offset, and whether it is paused. */
record Management(ProjectionId id, int minSlice, int maxSlice, OffsetTable table) {

    CompletionStage<Optional<Offset>> offset() {
        return table.read(minSlice, maxSlice)
                .thenApply(stored -> stored.places().isEmpty()
                        ? Optional.empty()
                        : Optional.of(Incarnation.offsets(stored.places())));
    }

    CompletionStage<Done> setOffset(Offset offset) {
        return table.set(places(offset)).thenApply(set -> Done.getInstance());
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
