package io.varve.projection.internal.settings;

import io.varve.store.internal.async.Backoff;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Pauses between attempts: each is twice as long as the last one, up to a limit, with a random part on top. */
public record Pauses(Duration least, Duration most, double randomFactor) {
    /** The pause before a retry, counted from 0. */
    public Duration next(int retry) {
        Duration doubled = new Backoff(least, most, 0).delay(retry + 1);
        double random = 1 + ThreadLocalRandom.current().nextDouble() * randomFactor;
        return Duration.ofNanos((long) Math.min(doubled.toNanos() * random, (double) most.toNanos()));
    }
}
