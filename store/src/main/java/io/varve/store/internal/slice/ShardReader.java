package io.varve.store.internal.slice;

import io.varve.store.internal.layout.Event;
import io.varve.store.internal.slice.SliceIndex.Page;
import io.varve.store.internal.slice.SliceIndex.Place;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads one shard of the index, step by step; each step is one page.
 *
 * <p><b>Passes.</b> The plain pass reads each item once, and goes on after the last one, so that an item which appears late is
 * still found as long as no later one was read. Items of one microsecond have no order in time: while the last one is young, its
 * microsecond is read again. What appears before the place already reached is found by the trails: passes that read the same again
 * when it is some seconds, and some minutes, old. A trail that stands where the plain pass does has nothing
 * to read, so that a quiet shard costs one request for each refresh interval. Items that are older than the trusted age when the
 * plain pass meets them are not read again.
 *
 * <p><b>Turns.</b> A quiet shard is asked once in a refresh interval, on its own turn. After the first events it is asked again an
 * eighth of the interval later, and at its half-turns for as long as events keep coming: never more than three times in an interval,
 * unless pages are full.
 *
 * <p>Not safe for use by several threads: everything happens on the owner's.
 */
final class ShardReader {
    /** The part of the refresh interval after which a quiet shard is asked again when events have come. */
    private static final int QUICK = 8;

    private static final int MAX_BACKOFF = 5;

    private final SliceIndex index;
    private final String entityType;
    private final int shard;
    private final SliceQuerySettings settings;
    private final Optional<Long> end;
    private final DeliveredEvents delivered;
    private final DeliveryRules settling;
    private final Executor owner;
    private final List<Trail> trails;
    private Place plain;
    /** Whether the plain pass stands within a page that is longer: perhaps between items of one microsecond. */
    private boolean inPage;

    private long watermark;
    private long floor;
    /** Up to which timestamp the plain pass has read what was older than the trusted age by then. */
    private long readWhenOld;

    private long due;
    private long phase;
    private Pace pace = Pace.QUIET;
    private int failures;
    private int forgotten;
    private boolean finished;
    /** The trail whose step was the last one; none if that was the plain pass. */
    private @Nullable Trail latest;

    /** @param end where a query that is not live ends */
    ShardReader(
            SliceIndex index,
            String entityType,
            int shard,
            SliceQuerySettings settings,
            Optional<Long> end,
            long start,
            DeliveredEvents delivered,
            DeliveryRules settling,
            Executor owner) {
        this.index = index;
        this.entityType = entityType;
        this.shard = shard;
        this.settings = settings;
        this.end = end;
        this.delivered = delivered;
        this.settling = settling;
        this.owner = owner;
        this.plain = Place.at(start);
        this.watermark = start;
        Duration behind = settings.backtrackingBehind();
        this.trails = Stream.concat(
                        Stream.of(new Trail(micros(behind), micros(behind))),
                        settings.sweep().stream()
                                .map(sweep -> new Trail(micros(sweep.window()), micros(sweep.interval()))))
                .toList();
    }

    /** What the last steps of the plain pass have found. */
    private enum Pace {
        /** Nothing for a while. */
        QUIET,
        /** The first events after a while. */
        AWAKENED,
        /** Events, before this step or with it. */
        ACTIVE
    }

    /** A pass behind the plain one. */
    private final class Trail {
        private final long behind;
        private final long interval;
        private Place place = plain;
        private long next = Long.MAX_VALUE;

        Trail(long behind, long interval) {
            this.behind = behind;
            this.interval = interval;
        }

        /** Whether it has nothing to read. */
        boolean isDone() {
            return place.equals(plain);
        }

        /** The plain pass goes on to a place; a trail that is done follows it through what is old and need not be read again. */
        void follow(Place to, long old, long now) {
            if (!isDone()) {
                return;
            }
            if (to.timestamp() <= old) {
                place = to;
            } else {
                place = place.timestamp() <= old ? Place.at(old + 1) : place;
                next = now + behind;
            }
        }
    }

    /** Up to which timestamp the plain pass has read everything that was visible. */
    long watermark() {
        return finished ? Long.MAX_VALUE : watermark;
    }

    /** Before which timestamp everything that was visible has been read; not ahead of the clock. */
    long floor() {
        return floor;
    }

    boolean isFinished() {
        return finished;
    }

    int failures() {
        return failures;
    }

    /** When the next step is due. */
    long due() {
        if (finished) {
            return Long.MAX_VALUE;
        }
        long next = due;
        if (end.isEmpty() && failures == 0) {
            for (Trail trail : trails) {
                next = Math.min(next, trail.next);
            }
        }
        return next;
    }

    /** How many entities were forgotten too early since the last call, because they were too many. */
    int takeForgotten() {
        int taken = forgotten;
        forgotten = 0;
        return taken;
    }

    /** Takes its turn among others: the first step is due at {@code first}, and those in quiet whole intervals after {@code turn}. */
    void begin(long first, long turn) {
        due = first;
        phase = turn;
    }

    /** The clock was set back: what was due in a while still is. */
    void setBack(long by) {
        due -= by;
        for (Trail trail : trails) {
            trail.next -= trail.next == Long.MAX_VALUE ? 0 : by;
        }
    }

    /** Reads the next page, and says what of it is to be delivered. */
    CompletionStage<List<Event>> step(long now) {
        if (failures == 0) {
            latest = nextTrail(now);
        }
        Trail trail = latest;
        return trail == null ? stepPlain(now) : step(trail, now);
    }

    /** The trail whose turn it is, if it is not the plain pass's: they take turns when both are due. */
    private @Nullable Trail nextTrail(long now) {
        if (end.isEmpty() && (latest == null || due > now)) {
            for (Trail trail : trails) {
                if (trail.next <= now) {
                    return trail;
                }
            }
        }
        return null;
    }

    private CompletionStage<List<Event>> stepPlain(long now) {
        long until = end.orElse(now - micros(settings.behindCurrentTime()));
        if (until < plain.timestamp()) { // the clock was set back, or the offset is of one that was ahead
            finished = end.isPresent();
            schedule(false, now);
            return CompletableFuture.completedFuture(List.of());
        }
        long trusted = trusted(now, null);
        return index.read(entityType, shard, next(now), until, settings.pageSize())
                .thenComposeAsync(
                        page -> settling.settle(page.events(), false, trusted)
                                .thenApplyAsync(settled -> advance(page, until, settled, now), owner),
                        owner);
    }

    /** Where the plain pass goes on: at its last microsecond, if more of that can appear and all that came of it is remembered. */
    private Place next(long now) {
        boolean young = plain.timestamp() > now - micros(settings.backtrackingBehind());
        return young && !inPage && delivered.floor() <= plain.timestamp() ? Place.at(plain.timestamp()) : plain;
    }

    private List<Event> advance(Page page, long until, List<Event> settled, long now) {
        long old = now - micros(settings.trustedAge());
        if (!page.end().equals(plain)) {
            trails.forEach(trail -> trail.follow(page.end(), old, now));
            plain = page.end();
        }
        inPage = page.more();
        readWhenOld = Math.max(readWhenOld, page.more() ? Math.min(old, plain.timestamp()) : old);
        long reached = page.more() ? plain.timestamp() : until;
        watermark = Math.max(watermark, reached);
        floor = Math.max(floor, Math.min(reached, now - micros(settings.behindCurrentTime())));
        remember(settled, now);
        finished = end.isPresent() && !page.more();
        if (page.more()) {
            due = now;
            failures = 0;
        } else {
            schedule(!settled.isEmpty(), now);
        }
        return settled;
    }

    private CompletionStage<List<Event>> step(Trail trail, long now) {
        long until = Math.min(plain.timestamp(), now - trail.behind);
        if (until < trail.place.timestamp()) {
            trail.next = now + trail.interval;
            return CompletableFuture.completedFuture(List.of());
        }
        long trusted = trusted(now, trail);
        return index.read(entityType, shard, trail.place, until, settings.pageSize())
                .thenComposeAsync(
                        page -> settling.settle(page.events(), true, trusted)
                                .thenApplyAsync(settled -> advance(trail, page, until, settled, now), owner),
                        owner);
    }

    private List<Event> advance(Trail trail, Page page, long until, List<Event> settled, long now) {
        trail.place = page.more() || until < plain.timestamp() ? page.end() : plain;
        if (!page.more()) {
            trail.next = trail.isDone() ? Long.MAX_VALUE : now + trail.interval;
        }
        remember(settled, now);
        failures = 0;
        return settled;
    }

    /** Whether events that were published can be taken: only where the plain pass is near, or an offset would skip what is before. */
    boolean takes(List<Event> published, long now) {
        long newest = published.get(published.size() - 1).timestamp();
        return end.isEmpty()
                && failures == 0
                && newest <= now + micros(settings.backtrackingBehind())
                && watermark >= newest - slack(settings)
                && delivered.hasRoom(readThrough());
    }

    /** Whether events are older than what the passes look for. */
    boolean isOld(List<Event> stored, long now) {
        return stored.get(stored.size() - 1).timestamp() < now - micros(settings.trustedAge());
    }

    /**
     * Says what of published events is to be delivered.
     *
     * @param old whether they were that old when they came: no pass has met them
     */
    CompletionStage<List<Event>> publish(List<Event> published, boolean old, long now) {
        latest = null; // if it fails, the plain pass goes on
        if (!takes(published, now)) {
            return CompletableFuture.completedFuture(List.of());
        }
        return settling.settle(published, !old, Math.min(trusted(now, null), readWhenOld))
                .thenApplyAsync(
                        settled -> {
                            remember(settled, now);
                            return settled;
                        },
                        owner);
    }

    /** A step has failed: the next one waits longer each time. */
    void failed(long now) {
        failures++;
        due = now + (micros(settings.refreshInterval()) << Math.min(failures - 1, MAX_BACKOFF));
    }

    private void schedule(boolean active, long now) {
        failures = 0;
        boolean wasQuiet = pace == Pace.QUIET;
        boolean stays = active || pace == Pace.AWAKENED;
        pace = !stays ? Pace.QUIET : wasQuiet ? Pace.AWAKENED : Pace.ACTIVE;
        long interval = micros(settings.refreshInterval());
        due = switch (pace) {
            case QUIET -> nextTurn(now, interval);
            case AWAKENED -> now + interval / QUICK;
            case ACTIVE -> nextTurn(now, interval / 2);
        };
    }

    private long nextTurn(long now, long interval) {
        return now + interval - Math.floorMod(now - phase, interval);
    }

    /** Up to which timestamp, inclusive, the plain pass will not meet again what it has met. */
    private long readThrough() {
        return inPage ? plain.timestamp() - 1 : plain.timestamp();
    }

    private void remember(List<Event> settled, long now) {
        for (Event event : settled) {
            delivered.add(event.persistenceId(), event.sequenceNumber(), event.timestamp());
        }
        long needed = Math.min(plain.timestamp(), now - micros(settings.trustedAge()));
        for (Trail trail : trails) {
            needed = Math.min(needed, trail.place.timestamp());
        }
        forgotten += delivered.forget(needed, readThrough());
    }

    /** Up to which timestamp a pass has met every event, or meets it in this page: old ones, unless a trail is still to read them. */
    private long trusted(long now, @Nullable Trail pass) {
        long trusted = now - micros(settings.trustedAge());
        for (Trail trail : trails) {
            if (trail != pass && !trail.isDone()) {
                trusted = Math.min(trusted, trail.place.timestamp() - 1);
            }
        }
        return trusted;
    }

    /** How far shards may be apart when their events are delivered: within the window that a restart reads again. */
    static long slack(SliceQuerySettings settings) {
        return micros(settings.backtrackingWindow()) / 2;
    }

    static long micros(Duration duration) {
        return duration.toNanos() / 1_000;
    }
}
