package io.varve.store.internal.slice;

import io.varve.store.internal.layout.Microseconds;
import java.time.Duration;

/**
 * Whether new events can be expected to come by being published: somebody publishes who numbers what he sends, so that what gets
 * lost is noticed, and nothing speaks against it.
 */
final class PublishingHealth {
    /** How long one event that was not published, or came without a number, speaks against it. */
    private static final long DOUBT = Microseconds.of(Duration.ofMinutes(10));

    private boolean shown;
    private long doubtedUntil = Long.MIN_VALUE;

    /** Somebody publishes, with numbers. */
    void shown() {
        shown = true;
    }

    void doubted(long now) {
        doubtedUntil = now + DOUBT;
    }

    void setBack(long by) {
        doubtedUntil -= doubtedUntil == Long.MIN_VALUE ? 0 : by;
    }

    boolean isGood(long now) {
        return shown && now >= doubtedUntil;
    }
}
