package io.varve.projection.internal.admission;

import io.varve.projection.internal.progress.InFlight;
import java.util.Optional;

/** An event that is let in, and what must be processed before it. */
public record Admitted<E>(InFlight<E> event, Optional<Missing> missing) {

    /**
     * Events of an entity that the source has not brought: those that the journal holds between two numbers, both inclusive.
     *
     * @param floor the timestamp before which they count as processed
     * @param anew whether the entity has begun anew: with the first of them, or with the event itself if there are none
     */
    public record Missing(String persistenceId, long from, long to, long floor, boolean anew) {}
}
