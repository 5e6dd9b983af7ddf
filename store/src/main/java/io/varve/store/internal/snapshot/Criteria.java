package io.varve.store.internal.snapshot;

import java.time.Instant;

/** Which snapshots are meant; all bounds are inclusive. */
public record Criteria(long minSequenceNumber, long maxSequenceNumber, Instant minTimestamp, Instant maxTimestamp) {

    /** Whether nothing can match, because a lower bound is above its upper bound. */
    boolean isEmpty() {
        return minSequenceNumber > maxSequenceNumber || minTimestamp.isAfter(maxTimestamp);
    }

    boolean matches(Instant timestamp) {
        return !timestamp.isBefore(minTimestamp) && !timestamp.isAfter(maxTimestamp);
    }
}
