package io.varve.store.snapshot;

import java.time.Instant;

/** Which snapshots are meant; all bounds are inclusive. */
public record Criteria(long minSequenceNumber, long maxSequenceNumber, Instant minTimestamp, Instant maxTimestamp) {

    boolean matches(Instant timestamp) {
        return !timestamp.isBefore(minTimestamp) && !timestamp.isAfter(maxTimestamp);
    }
}
