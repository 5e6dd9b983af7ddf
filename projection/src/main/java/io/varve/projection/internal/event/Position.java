package io.varve.projection.internal.event;

import io.varve.store.VarveException;
import io.varve.store.internal.offset.LastProcessed;
import java.time.Instant;
import org.apache.pekko.persistence.query.TimestampOffset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;

/** Which event an envelope holds; the timestamp is in microseconds. */
public record Position(String persistenceId, long sequenceNumber, long timestamp, int slice) {

    public static Position of(Object envelope) {
        if (!(envelope instanceof EventEnvelope<?> event)) {
            throw new VarveException(
                    "A projection of Varve takes the envelopes of eventsBySlices, but its source emits "
                            + envelope.getClass().getName() + ".");
        }
        if (!(event.offset() instanceof TimestampOffset offset)) {
            throw new VarveException("Event " + event.sequenceNr() + " of '" + event.persistenceId()
                    + "' has an offset of type " + event.offset().getClass().getName()
                    + ", but a projection of Varve needs a TimestampOffset.");
        }
        return new Position(event.persistenceId(), event.sequenceNr(), micros(offset.timestamp()), event.slice());
    }

    public LastProcessed asProcessed() {
        return new LastProcessed(persistenceId, sequenceNumber, timestamp);
    }

    public static long micros(Instant instant) {
        return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
    }

    public static Instant instant(long micros) {
        return Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1_000);
    }

    @Override
    public String toString() {
        return "event " + sequenceNumber + " of '" + persistenceId + "'";
    }
}
