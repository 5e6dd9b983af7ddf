package io.varve.persistence.internal.query;

import io.varve.persistence.query.SliceOffsets;
import io.varve.store.SliceRange;
import io.varve.store.Slices;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.slice.SliceEvent;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Map;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.TimestampOffset;
import scala.collection.immutable.HashMap;
import scala.collection.immutable.HashMap$;

/** The offsets of the events of one stream, of the kind that the stream was begun with. */
public abstract sealed class EnvelopeOffsets {
    final InstantSource clock;

    private EnvelopeOffsets(InstantSource clock) {
        this.clock = clock;
    }

    /** The offsets of a stream that begins at {@code start}; what it repeats of the time before does not take them back. */
    public static EnvelopeOffsets startingAt(Offset start, InstantSource clock) {
        if (start instanceof SliceOffsets slices) {
            return slices.hasEventOffsets() ? new OfEachEvent(clock) : new OfEachSlice(slices, clock);
        }
        return new OfAllSlices(start, clock);
    }

    /** The offset of the next event. */
    public abstract Offset of(SliceEvent delivery);

    /**
     * All ranges with events of interest are read now, as of {@code asOf}.
     *
     * @param added those that are read from now on
     * @param from before which they had none
     */
    public void reads(Collection<SliceRange> added, Instant from, Instant asOf) {}

    /** The offset of an event by itself. */
    static TimestampOffset of(Event event, InstantSource clock) {
        return SliceOffsets.timestampOffset(
                Microseconds.toInstant(event.timestamp()),
                clock.instant(),
                Map.of(event.persistenceId(), event.sequenceNumber()));
    }

    /**
     * For a consumer that keeps one offset for all slices. It must be able to go on from the last one that it got, also if that
     * event was late. So a late event carries the newest timestamp that the stream has reached, not its own.
     */
    private static final class OfAllSlices extends EnvelopeOffsets {
        private long reached;
        private HashMap<String, Object> seen = HashMap$.MODULE$.empty();

        OfAllSlices(Offset start, InstantSource clock) {
            super(clock);
            if (start instanceof TimestampOffset timestamp) {
                reached = Microseconds.of(timestamp.timestamp());
                seen = HashMap$.MODULE$.from(timestamp.seen());
            }
        }

        @Override
        public Offset of(SliceEvent delivery) {
            Event event = delivery.event();
            if (event.timestamp() > reached) {
                reached = event.timestamp();
                seen = HashMap$.MODULE$.empty();
            }
            if (event.timestamp() == reached) {
                seen = seen.updated(event.persistenceId(), event.sequenceNumber());
            }
            return new TimestampOffset(Microseconds.toInstant(reached), clock.instant(), seen);
        }
    }

    /** For a consumer that keeps the places of slices by itself. */
    private static final class OfEachEvent extends EnvelopeOffsets {
        OfEachEvent(InstantSource clock) {
            super(clock);
        }

        @Override
        public Offset of(SliceEvent delivery) {
            return of(delivery.event(), clock);
        }
    }

    /** For a consumer that keeps slice offsets: all that the stream has reached. */
    private static final class OfEachSlice extends EnvelopeOffsets {
        private SliceOffsets reached;
        /** As of when all ranges are read, by a clock that may have been wrong; it counts as far as there are events. */
        private Instant known = Instant.EPOCH;

        private Instant newest = Instant.EPOCH;

        OfEachSlice(SliceOffsets start, InstantSource clock) {
            super(clock);
            this.reached = start;
        }

        @Override
        public Offset of(SliceEvent delivery) {
            Event event = delivery.event();
            reached = reached.plus(
                            Slices.entityType(event.persistenceId()),
                            Slices.of(event.persistenceId()),
                            of(event, clock))
                    .withFloor(delivery.slices(), Microseconds.toInstant(delivery.floor()));
            newest = later(newest, Microseconds.toInstant(event.timestamp()));
            if (known.isAfter(Instant.EPOCH)) {
                reached = reached.withFloor(
                        SliceRange.all(SliceOffsets.ANY_TYPE), known.isBefore(newest) ? known : newest);
            }
            return reached;
        }

        @Override
        public void reads(Collection<SliceRange> added, Instant from, Instant asOf) {
            for (SliceRange range : added) {
                reached = reached.withFloor(range, from);
            }
            known = asOf;
        }

        private static Instant later(Instant one, Instant other) {
            return other.isAfter(one) ? other : one;
        }
    }
}
