package io.varve.store.internal.offset;

import java.util.Optional;

/**
 * What counts of the row of an entity.
 *
 * @param last the event that was processed last; number 0 if none was
 * @param parkedAt where the entity is set aside, if it is
 */
public record EntityRow(LastProcessed last, Optional<ParkedAt> parkedAt) {

    /**
     * The event at which an entity is set aside, or goes on: those before it are done, and it is the next one.
     *
     * @param retried whether somebody wants it to be tried again
     */
    public record ParkedAt(long sequenceNumber, long timestamp, boolean retried) {}
}
