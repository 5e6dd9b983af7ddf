package io.varve.projection;

import io.varve.store.internal.offset.Advance;
import java.util.List;

/**
 * A stored event on its way through the projection.
 *
 * @param externals what the telemetry wants back, for each envelope
 */
record Passing<E>(Stored<E> event, Progress.Ticket ticket, List<Object> externals) {

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
        return new Advance(position().asProcessed(), position().asProcessed());
    }
}
