package io.varve.store.client;

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

    /** What is left; zero when it is spent. */
    public Duration left() {
        return Duration.ofNanos(Math.max(0, end - surroundings.nanoTime()));
    }

    /** The whole of it. */
    public Duration total() {
        return total;
    }
}
