package io.varve.store.internal.client;

import io.varve.store.internal.async.Surroundings;
import java.time.Duration;

/** The time that an operation has, all its requests and retries together. */
public final class Budget {
    private final Duration total;
    private final Surroundings surroundings;
    private final long end;

    Budget(Duration total, Surroundings surroundings) {
        this.total = total;
        this.surroundings = surroundings;
        this.end = surroundings.nanoTime() + total.toNanos();
    }

    /** A budget for a part of the operation: it begins now, and ends with this one at the latest. */
    public Budget part(Duration most) {
        return most.compareTo(left()) < 0 ? new Budget(most, surroundings) : this;
    }

    /** As much time again, for the next step of an operation that takes as long as there are events. */
    public Budget renewed() {
        return new Budget(total, surroundings);
    }

    /** What is left; zero when it is spent. */
    public Duration left() {
        return Duration.ofNanos(Math.max(0, end - surroundings.nanoTime()));
    }

    /** The whole of it. */
    public Duration total() {
        return total;
    }
}
