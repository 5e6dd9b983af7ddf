package io.varve.store.internal.slice;

import io.varve.store.internal.async.Backoff;
import io.varve.store.internal.layout.Microseconds;
import java.time.Duration;

/**
 * When a shard is asked for its next page.
 *
 * <p>A quiet shard is asked once in a refresh interval, on its own turn. After the first events it is asked again an eighth of the
 * interval later, and at its half-turns for as long as events keep coming: never more than three times in an interval, unless pages
 * are full. Nobody needs to ask it while the consumer has enough to do; then its turn can wait, but not for ever.
 */
final class Turns {
    /** The part of the refresh interval after which a quiet shard is asked again when events have come. */
    private static final int QUICK = 8;

    private static final int MOST_DOUBLINGS = 5;

    private final long interval;
    private final long longest;
    private final long phase;
    private final Backoff pauses;
    private long due;
    /** When the next page is due even if the consumer has enough to do. */
    private long latest;

    private Pace pace = Pace.QUIET;
    private int failures;

    /**
     * The first page is due at {@code first}, those in quiet whole intervals after {@code phase}; {@code longest} is how long a turn
     * can wait.
     */
    Turns(Duration interval, Duration longest, long first, long phase) {
        this.interval = Microseconds.of(interval);
        this.longest = Microseconds.of(longest);
        this.pauses = Backoff.doubled(interval, MOST_DOUBLINGS);
        this.due = first;
        this.latest = first;
        this.phase = phase;
    }

    /** What the last pages have held. */
    private enum Pace {
        /** Nothing for a while. */
        QUIET,
        /** The first events after a while. */
        AWAKENED,
        /** Events, before this page or with it. */
        ACTIVE
    }

    /** When the next page is due, if the consumer has enough to do or not. */
    long due(boolean enough) {
        return enough ? latest : due;
    }

    int failures() {
        return failures;
    }

    /** The clock was set back: what was due in a while still is. */
    void setBack(long by) {
        due -= by;
        latest -= by;
    }

    /** A request was answered, and this says nothing of when the next is due. */
    void answered() {
        failures = 0;
    }

    /** A full page was read: the next one is due at once. */
    void goOn(long now) {
        failures = 0;
        due = now;
        latest = now;
    }

    /** All that is there was read. */
    void reachedTheEnd(boolean foundEvents, long now) {
        failures = 0;
        boolean stays = foundEvents || pace == Pace.AWAKENED;
        pace = !stays ? Pace.QUIET : pace == Pace.QUIET ? Pace.AWAKENED : Pace.ACTIVE;
        due = switch (pace) {
            case QUIET -> next(now, interval);
            case AWAKENED -> now + interval / QUICK;
            case ACTIVE -> next(now, interval / 2);
        };
        latest = Math.max(due, now + longest);
    }

    /** A request has failed: the next one waits longer each time. */
    void failed(long now) {
        failures++;
        due = now + Microseconds.of(pauses.delay(failures));
        latest = due;
    }

    private long next(long now, long turn) {
        return now + turn - Math.floorMod(now - phase, turn);
    }
}
