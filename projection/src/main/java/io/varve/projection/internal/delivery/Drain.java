package io.varve.projection.internal.delivery;

import java.util.concurrent.atomic.AtomicInteger;

/** Runs a step as often as it is asked for, never within itself nor twice at the same time. */
final class Drain {
    private final Runnable step;
    private final AtomicInteger asked = new AtomicInteger();

    Drain(Runnable step) {
        this.step = step;
    }

    /** Runs the step, here or where it runs already. */
    void run() {
        if (asked.getAndIncrement() > 0) {
            return;
        }
        int served = 1;
        while (served > 0) {
            step.run();
            served = asked.addAndGet(-served);
        }
    }
}
