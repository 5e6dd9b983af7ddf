package io.varve.projection.internal.event;

import io.varve.store.VarveException;
import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.offset.LastProcessed;
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
        return new Position(
                event.persistenceId(), event.sequenceNr(), Microseconds.of(offset.timestamp()), event.slice());
    }

    public LastProcessed asProcessed() {
        return new LastProcessed(persistenceId, sequenceNumber, timestamp);
    }

    @Override
    public String toString() {
        return "event " + sequenceNumber + " of '" + persistenceId + "'";
    }
}
