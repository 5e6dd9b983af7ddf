package io.varve.store.internal.layout;

import java.time.Instant;

/**
 * The end of an entity: what a writer must know to append to it.
 *
 * @param sequenceNumber the highest number ever stored; 0 for a new entity
 * @param timestamp the timestamp of the last event that has one; 0 if none is known
 * @param assumed whether the number is only a snapshot's: nothing was found of the entity, neither events nor a low mark
 */
public record LastWritten(long sequenceNumber, long timestamp, boolean assumed) {

    /** The end of an entity of which something was found. */
    public LastWritten(long sequenceNumber, long timestamp) {
        this(sequenceNumber, timestamp, false);
    }

    /** Its timestamp as a time. */
    public Instant time() {
        return Microseconds.toInstant(timestamp);
    }
}
