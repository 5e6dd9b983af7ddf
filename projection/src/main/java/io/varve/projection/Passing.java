package io.varve.projection;

import io.varve.store.offset.Advance;
import io.varve.store.offset.LastProcessed;
import java.util.List;
import java.util.Optional;

/**
 * A stored event on its way through the projection.
 *
 * @param replaced what the entity's row holds if its sequence numbers begin anew with this event
 * @param externals what the telemetry wants back, for each envelope
 */
record Passing<E>(Stored<E> event, Optional<LastProcessed> replaced, Progress.Ticket ticket, List<Object> externals) {

    Position position() {
        return event.position();
    }

    List<E> envelopes() {
        return event.envelopes();
    }

    /** All envelopes of several events. */
    static <E> List<E> envelopes(List<Passing<E>> group) {
        return group.stream().flatMap(passing -> passing.envelopes().stream()).toList();
    }

    Advance advance() {
        return new Advance(position().asProcessed(), position().asProcessed(), replaced);
    }
}
