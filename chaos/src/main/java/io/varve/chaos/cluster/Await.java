package io.varve.chaos.cluster;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for what other processes and threads do. */
public final class Await {
    private static final long POLL_MILLIS = 100;

    private Await() {}

    /** Whether it becomes true in time. */
    public static boolean until(BooleanSupplier condition, Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            Thread.sleep(POLL_MILLIS);
        }
        return true;
    }
}
