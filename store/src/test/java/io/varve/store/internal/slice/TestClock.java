package io.varve.store.internal.slice;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that moves when it is told to. */
final class TestClock implements InstantSource {
    private final AtomicLong micros = new AtomicLong(1_800_000_000_000_000L);

    @Override
    public Instant instant() {
        return instant(micros.get());
    }

    long micros() {
        return micros.get();
    }

    void advance(Duration by) {
        micros.addAndGet(by.toNanos() / 1_000);
    }

    /** The same clock as somebody else sees it. */
    InstantSource movedBy(Duration skew) {
        return () -> instant().plus(skew);
    }

    private static Instant instant(long micros) {
        return Instant.ofEpochSecond(micros / 1_000_000, micros % 1_000_000 * 1_000);
    }
}
