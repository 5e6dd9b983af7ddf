package io.varve.persistence.internal.query;

import io.varve.persistence.query.SliceOffsets;
import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.slice.SliceQuerySettings;
import io.varve.store.internal.slice.SliceStart;
import io.varve.store.internal.slice.SliceStarts;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.apache.pekko.persistence.query.NoOffset$;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.TimestampOffset;
import org.jspecify.annotations.Nullable;

/** Where a query begins that is given an offset. */
public final class OffsetStarts {
    private static final Duration QUIET = Duration.ofHours(1);

    private OffsetStarts() {}

    /**
     * Where each slice begins.
     *
     * @param grow whether the entity types are those with events of interest, which can become more
     */
    public static SliceStarts of(@Nullable Offset offset, boolean grow, SliceQuerySettings settings) {
        if (offset instanceof SliceOffsets slices) {
            return of(slices, grow, Math.max(Microseconds.of(QUIET), Microseconds.of(settings.trustedAge())));
        }
        if (offset instanceof TimestampOffset timestamp) {
            SliceStart start = start(timestamp);
            return (entityType, slice) -> start;
        }
        if (offset == NoOffset$.MODULE$) {
            return (entityType, slice) -> SliceStart.BEGINNING;
        }
        throw new IllegalArgumentException("A query of slices or tags cannot begin at "
                + (offset == null
                        ? "null"
                        : "the offset " + offset + " of type "
                                + offset.getClass().getName())
                + ": give it the offset of one of its envelopes (a TimestampOffset), SliceOffsets, or NoOffset.");
    }

    /**
     * A slice begins at its place, or where it has none at its floor. An entity type that had no event of interest when the offset
     * was made begins at that time.
     *
     * @param quiet how far a place can be behind its floor before it gives way, in microseconds: longer than late events are looked
     *     for
     */
    private static SliceStarts of(SliceOffsets offsets, boolean grow, long quiet) {
        Set<String> known = offsets.entityTypes();
        return (entityType, slice) -> {
            String named = grow && !known.contains(entityType) ? SliceOffsets.ANY_TYPE : entityType;
            SliceStart floor = offsets.floor(named, slice)
                    .map(time -> new SliceStart(Microseconds.of(time), Map.of()))
                    .orElse(SliceStart.BEGINNING);
            return offsets.offset(entityType, slice)
                    .map(OffsetStarts::start)
                    .filter(place -> place.timestamp() >= floor.timestamp() - quiet)
                    .orElse(floor);
        };
    }

    private static SliceStart start(TimestampOffset offset) {
        return new SliceStart(Microseconds.of(offset.timestamp()), Map.copyOf(offset.getSeen()));
    }
}
