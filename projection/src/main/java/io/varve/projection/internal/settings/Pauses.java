package io.varve.projection.internal.settings;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Pauses between attempts: each is twice as long as the last one, up to a limit, with a random part on top. */
public record Pauses(Duration least, Duration most, double randomFactor) {
    private static final int MAX_DOUBLINGS = 30;

    /** The pause before a retry, counted from 0. */
    public Duration next(int retry) {
        double doubled = least.toNanos() * Math.pow(2, Math.min(retry, MAX_DOUBLINGS));
        double random = 1 + ThreadLocalRandom.current().nextDouble() * randomFactor;
        return Duration.ofNanos((long) Math.min(doubled * random, (double) most.toNanos()));
    }
}
