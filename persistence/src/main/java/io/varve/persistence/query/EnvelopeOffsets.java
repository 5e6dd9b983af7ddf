package io.varve.persistence.query;

import io.varve.store.layout.Event;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Function;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.TimestampOffset;
import scala.collection.immutable.HashMap;
import scala.collection.immutable.HashMap$;

/**
 * The offsets of the events of one stream.
 *
 * <p>Where a consumer keeps one offset for all slices, it must be able to go on from the last one that it got, also if that event
 * was late. So a late event carries the newest timestamp that the stream has reached, not its own.
 */
final class EnvelopeOffsets implements Function<Event, Offset> {
    private final InstantSource clock;
    private final boolean perSlice;
    private long reached;
    private HashMap<String, Object> seen = HashMap$.MODULE$.empty();

    private EnvelopeOffsets(InstantSource clock, boolean perSlice) {
        this.clock = clock;
        this.perSlice = perSlice;
    }

    /** The offsets of a stream that begins at {@code start}; what it repeats of the time before does not take them back. */
    static EnvelopeOffsets startingAt(Offset start, InstantSource clock) {
        EnvelopeOffsets offsets = new EnvelopeOffsets(clock, start instanceof SliceOffsets);
        if (start instanceof TimestampOffset timestamp) {
            offsets.reached = micros(timestamp.timestamp());
            offsets.seen = HashMap$.MODULE$.from(timestamp.seen());
        }
        return offsets;
    }

    @Override
    public Offset apply(Event event) {
        if (perSlice || event.timestamp() > reached) {
            reached = event.timestamp();
            seen = HashMap$.MODULE$.empty();
        }
        if (event.timestamp() == reached) {
            seen = seen.updated(event.persistenceId(), event.sequenceNumber());
        }
        return new TimestampOffset(instant(reached), clock.instant(), seen);
    }

    /** The offset of an event that is not part of a stream. */
    static Offset of(Event event, InstantSource clock) {
        return new EnvelopeOffsets(clock, true).apply(event);
    }

    static Instant instant(long micros) {
        return Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1_000);
    }

    static long micros(Instant instant) {
        return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
    }
}
