package io.varve.store.internal.client;

import java.time.Duration;

/** The time before a retry: doubled with each one up to a ceiling, a random part of it (the jitter) taken away. */
public record Backoff(Duration least, Duration most, double jitter) {

    /** The delay before retry number {@code retry} (from 1), given a random number from 0 to 1. */
    public Duration delay(int retry, double random) {
        long ceiling = most.toNanos();
        int doublings = Math.min(retry - 1, 62);
        long full = least.toNanos() > ceiling >> doublings ? ceiling : least.toNanos() << doublings;
        return Duration.ofNanos((long) (full * (1 - jitter * random)));
    }
}
