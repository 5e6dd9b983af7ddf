package io.varve.store.internal.slice;

import io.varve.store.internal.layout.Microseconds;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How far the passes through a shard are.
 *
 * <p>The plain pass reads each item once, and goes on after the last one, so that an item which appears late is still found as long
 * as no later one was read. Items of one microsecond have no order in time: while the last one is young, its microsecond is read
 * again. What appears before the place already reached is found by the trails: passes that read the same again when it is some
 * seconds, and some minutes, old. A trail that stands where the plain pass does has nothing to read, so that a quiet shard costs one
 * request for each refresh interval. Items that are older than the trusted age when the plain pass meets them are not read again.
 */
final class Passes {
    private final long young;
    private final long trustedAge;
    private final List<Trail> trails;
    private IndexCursor plain;
    /** Whether the plain pass stands within a page that is longer: perhaps between items of one microsecond. */
    private boolean inPage;
    /** Up to which timestamp the plain pass has read what was older than the trusted age by then. */
    private long readWhenOld;

    Passes(SliceQuerySettings settings, long start) {
        this.young = Microseconds.of(settings.backtrackingBehind());
        this.trustedAge = Microseconds.of(settings.trustedAge());
        this.plain = IndexCursor.at(start);
        this.trails = Stream.concat(
                        Stream.of(trail(settings.backtrackingBehind(), settings.backtrackingBehind())),
                        settings.sweep().stream().map(sweep -> trail(sweep.window(), sweep.interval())))
                .toList();
    }

    private Trail trail(Duration behind, Duration interval) {
        return new Trail(Microseconds.of(behind), Microseconds.of(interval), plain);
    }

    /** Whether the plain pass has read all that was there. */
    boolean isAtTheEnd() {
        return !inPage;
    }

    IndexCursor plain() {
        return plain;
    }

    /** Where the plain pass goes on: at its last microsecond, if more of that can appear and all that came of it is remembered. */
    IndexCursor next(long now, long rememberedFrom) {
        boolean again = plain.timestamp() > now - young && !inPage && rememberedFrom <= plain.timestamp();
        return again ? IndexCursor.at(plain.timestamp()) : plain;
    }

    /** A number for each pass that reads; 0 for the plain one. */
    int number(@Nullable Trail trail) {
        return 1 + trails.indexOf(trail);
    }

    /** When a trail is due next. */
    long trailsDue() {
        return trails.stream().mapToLong(Trail::due).min().orElse(Long.MAX_VALUE);
    }

    /** The trail whose turn it is. */
    @Nullable
    Trail trailDue(long now) {
        for (Trail trail : trails) {
            if (trail.due() <= now) {
                return trail;
            }
        }
        return null;
    }

    void setBack(long by) {
        trails.forEach(trail -> trail.setBack(by));
    }

    /** The plain pass has read a page. */
    void read(IndexPage page, long now) {
        long old = now - trustedAge;
        if (!page.end().equals(plain)) {
            trails.forEach(trail -> trail.follow(plain, page.end(), old, now));
            plain = page.end();
        }
        inPage = page.more();
        readWhenOld = Math.max(readWhenOld, page.more() ? Math.min(old, plain.timestamp()) : old);
    }

    /** Up to which timestamp, inclusive, the plain pass will not meet again what it has met. */
    long readThrough() {
        return inPage ? plain.timestamp() - 1 : plain.timestamp();
    }

    /** From which timestamp on a pass that is still to come may meet what was delivered. */
    long metAgainFrom(long now) {
        long from = Math.min(plain.timestamp(), now - trustedAge);
        for (Trail trail : trails) {
            from = Math.min(from, trail.cursor().timestamp());
        }
        return from;
    }

    /** Up to which timestamp a pass has met every event, or meets it in this page: old ones, unless a trail is still to read them. */
    long trusted(long now, @Nullable Trail pass) {
        long trusted = now - trustedAge;
        for (Trail trail : trails) {
            if (trail != pass && !trail.isDone(plain)) {
                trusted = Math.min(trusted, trail.cursor().timestamp() - 1);
            }
        }
        return trusted;
    }

    /** Up to which timestamp every event was met by now. */
    long trustedBeforePublished(long now) {
        return Math.min(trusted(now, null), readWhenOld);
    }

    /** Whether an event is older than what the passes look for. */
    boolean isOld(long timestamp, long now) {
        return timestamp < now - trustedAge;
    }
}
