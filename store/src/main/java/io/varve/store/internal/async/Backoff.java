package io.varve.store.internal.async;

import java.time.Duration;

/** The time before a retry: doubled with each one up to a ceiling, a random part of it (the jitter) taken away. */
public record Backoff(Duration least, Duration most, double jitter) {
    private static final int MOST_DOUBLINGS = 62;

    /** A time that is doubled at most so many times, without jitter. */
    public static Backoff doubled(Duration least, int times) {
        return new Backoff(least, least.multipliedBy(1L << times), 0);
    }

    /** The delay before retry number {@code retry} (from 1), given a random number from 0 to 1. */
    public Duration delay(int retry, double random) {
        return Duration.ofNanos((long) (delay(retry).toNanos() * (1 - jitter * random)));
    }

    /** The longest delay before retry number {@code retry} (from 1). */
    public Duration delay(int retry) {
        long factor = 1L << Math.min(retry - 1, MOST_DOUBLINGS);
        return least.compareTo(most.dividedBy(factor)) > 0 ? most : least.multipliedBy(factor);
    }
}
