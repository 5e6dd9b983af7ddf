package io.varve.store.internal.slice;

import io.varve.store.internal.async.Backoff;
import io.varve.store.internal.layout.Microseconds;

/**
 * When a shard is asked for its next page.
 *
 * <p>A quiet shard is asked once in a refresh interval, on its own turn. After the first events it is asked again an eighth of the
 * interval later, and at its half-turns for as long as events keep coming: never more than three times in an interval, unless pages
 * are full.
 *
 * <p>Where less depends on it, turns are left out: while events are published, more and more of them as long as asking finds
 * nothing; while the consumer has enough to do, all of them for some time.
 */
final class Turns {
    /** The part of the refresh interval after which a quiet shard is asked again when events have come. */
    private static final int QUICK = 8;

    private static final int MOST_DOUBLINGS = 5;
    /** How often the time between turns is doubled. */
    private static final int MOST_QUIET = 10;

    private final long interval;
    private final long quietest;
    private final long longest;
    private final long phase;
    private final Backoff pauses;
    private long due;
    /** When the next page is due while events are published. */
    private long quietDue;
    /** When the next page is due even if the consumer has enough to do. */
    private long latest;
    /** After how many pages in a row that brought nothing. */
    private int quiet;
    /** Whether the next page is to bring an event, or another one after it. */
    private boolean missing;

    private Pace pace = Pace.QUIET;
    private int failures;

    /**
     * The first page is due at {@code first}, those in quiet whole intervals after {@code phase}, which is a part of the refresh
     * interval.
     */
    Turns(SliceQuerySettings settings, long first, long phase) {
        this.interval = Microseconds.of(settings.refreshInterval());
        this.quietest = Microseconds.of(settings.quietest());
        this.longest = Microseconds.of(settings.longest());
        this.pauses = Backoff.doubled(settings.refreshInterval(), MOST_DOUBLINGS);
        this.phase = phase;
        set(first);
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

    /** When the next page is due. */
    long due(Urgency urgency) {
        return switch (urgency) {
            case USUAL -> due;
            case LOW -> quietDue;
            case NONE -> latest;
        };
    }

    private void set(long next) {
        due = next;
        quietDue = next;
        latest = next;
    }

    /** There is something to be found: no turn is left out. */
    void asUsual() {
        quiet = 0;
        quietDue = due;
    }

    /** An event is missing: the next page is due soon, and the one after it soon after that. */
    void hurry(long now, long at) {
        if (failures == 0) {
            set(due > now ? Math.min(due, at) : at);
            quiet = 0;
            missing = true;
        }
    }

    int failures() {
        return failures;
    }

    /** The clock was set back: what was due in a while still is. */
    void setBack(long by) {
        due -= by;
        quietDue -= by;
        latest -= by;
    }

    /** A request was answered, and this says nothing of when the next is due. */
    void answered() {
        failures = 0;
    }

    /** A full page was read: the next one is due at once. */
    void goOn(long now) {
        failures = 0;
        quiet = 0;
        set(now);
    }

    /** All that is there was read. */
    void reachedTheEnd(boolean foundEvents, long now) {
        failures = 0;
        boolean stays = foundEvents || missing || pace == Pace.AWAKENED;
        missing = false;
        pace = !stays ? Pace.QUIET : pace == Pace.QUIET ? Pace.AWAKENED : Pace.ACTIVE;
        quiet = pace == Pace.QUIET ? Math.min(quiet + 1, MOST_QUIET) : 0;
        due = switch (pace) {
            case QUIET -> next(now, interval);
            case AWAKENED -> now + interval / QUICK;
            case ACTIVE -> next(now, interval / 2);
        };
        quietDue = quiet == 0 ? due : Math.max(due, next(now, Math.min(quietest, interval << quiet)));
        latest = Math.max(due, now + longest);
    }

    /** A request has failed: the next one waits longer each time. */
    void failed(long now) {
        failures++;
        quiet = 0;
        set(now + Microseconds.of(pauses.delay(failures)));
    }

    private long next(long now, long turn) {
        long first = turn > interval
                ? turn * phase / interval
                : phase; // turns that are rare are spread over their own length
        return now + turn - Math.floorMod(now - first, turn);
    }
}
