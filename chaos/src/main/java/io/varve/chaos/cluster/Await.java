package io.varve.chaos.cluster;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for what other processes and threads do. */
public final class Await {
    private static final Duration INTERVAL = Duration.ofMillis(250);

    private Await() {}

    /** Whether it becomes true in time. */
    public static boolean until(BooleanSupplier condition, Duration limit) throws InterruptedException {
        return until(condition, limit, INTERVAL);
    }

    /** Whether it becomes true in time; for what is not cheap to look at. */
    public static boolean until(BooleanSupplier condition, Duration limit, Duration interval)
            throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            Thread.sleep(interval.toMillis());
        }
        return true;
    }
}
