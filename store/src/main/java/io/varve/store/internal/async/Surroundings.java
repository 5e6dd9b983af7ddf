package io.varve.store.internal.async;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** The time and the chance that a gateway works with. They come from outside, so that a simulation can give its own. */
public interface Surroundings {
    /** The machine's. */
    Surroundings OF_THIS_MACHINE = new Surroundings() {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public Runnable after(Duration delay, Runnable action) {
            CompletableFuture<Boolean> passed =
                    new CompletableFuture<Boolean>().completeOnTimeout(true, delay.toNanos(), TimeUnit.NANOSECONDS);
            passed.thenAccept(due -> {
                if (due) {
                    action.run();
                }
            });
            return () ->
                    passed.complete(false); // to cancel it would make an exception, with its stack, for each request
        }

        @Override
        public double chance() {
            return ThreadLocalRandom.current().nextDouble();
        }

        @Override
        public String uniqueName() {
            return UUID.randomUUID().toString();
        }
    };

    /** Nanoseconds since some moment; a clock that is set does not change it. */
    long nanoTime();

    /**
     * Does something later, on a thread that must not be kept; what is returned calls it off.
     *
     * @param action something short
     */
    Runnable after(Duration delay, Runnable action);

    /** A random number from 0 to 1. */
    double chance();

    /** A name that nobody else has. */
    String uniqueName();
}
