package io.varve.store.layout;

import java.time.Instant;

/**
 * The end of an entity: what a writer must know to append to it.
 *
 * @param sequenceNumber the highest number ever stored; 0 for a new entity
 * @param timestamp the timestamp of the last event that has one; 0 if none is known
 */
public record Head(long sequenceNumber, long timestamp) {

    /** Its timestamp as a time. */
    public Instant time() {
        return Instant.ofEpochSecond(
                Math.floorDiv(timestamp, 1_000_000L), Math.floorMod(timestamp, 1_000_000L) * 1_000);
    }
}
