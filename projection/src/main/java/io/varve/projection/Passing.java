package io.varve.projection;

import io.varve.store.offset.Advance;
import io.varve.store.offset.LastProcessed;
import java.util.Optional;
import org.apache.pekko.projection.ProjectionContext;

/**
 * An envelope on its way through the projection.
 *
 * @param replaced what the entity's row holds if its sequence numbers begin anew with this event
 * @param external what the telemetry wants back
 */
record Passing<E>(
        E envelope, Position position, Optional<LastProcessed> replaced, Progress.Ticket ticket, Object external)
        implements ProjectionContext {

    Advance advance() {
        return new Advance(position.asProcessed(), position.sequenceNumber(), replaced);
    }
}
