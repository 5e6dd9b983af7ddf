package io.varve.store.client;

import java.time.Duration;

/** The time that an operation has, all its requests and retries together. */
public final class Budget {
    private final Duration total;
    private final long end;

    private Budget(Duration total) {
        this.total = total;
        this.end = System.nanoTime() + total.toNanos();
    }

    /** A budget that begins now. */
    public static Budget of(Duration total) {
        return new Budget(total);
    }

    /** What is left; zero when it is spent. */
    public Duration left() {
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }

    /** The whole of it. */
    public Duration total() {
        return total;
    }
}
