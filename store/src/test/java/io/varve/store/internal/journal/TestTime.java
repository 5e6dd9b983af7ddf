package io.varve.store.internal.journal;

import io.varve.store.internal.async.Surroundings;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** The time that a store measures pauses with, as a test sets it. */
record TestTime(AtomicLong time) implements Surroundings {
    @Override
    public long nanoTime() {
        return time.get();
    }

    @Override
    public Runnable after(Duration delay, Runnable action) {
        return OF_THIS_MACHINE.after(delay, action);
    }

    @Override
    public double chance() {
        return OF_THIS_MACHINE.chance();
    }

    @Override
    public String uniqueName() {
        return OF_THIS_MACHINE.uniqueName();
    }
}
