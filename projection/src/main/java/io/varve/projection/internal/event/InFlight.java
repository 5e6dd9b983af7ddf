package io.varve.projection.internal.event;

import io.varve.projection.internal.progress.ProjectionProgress;
import io.varve.store.internal.offset.Advance;
import java.util.List;

/**
 * A stored event on its way through the projection.
 *
 * @param externals what the telemetry wants back, for each envelope
 */
public record InFlight<E>(AdaptedEvent<E> event, ProjectionProgress.Ticket ticket, List<Object> externals) {

    public Position position() {
        return event.position();
    }

    public List<E> envelopes() {
        return event.envelopes();
    }

    /** All envelopes of several events. */
    public static <E> List<E> envelopes(List<InFlight<E>> group) {
        return group.stream().flatMap(passing -> passing.envelopes().stream()).toList();
    }

    public Advance advance() {
        return new Advance(position().asProcessed(), position().asProcessed());
    }
}
