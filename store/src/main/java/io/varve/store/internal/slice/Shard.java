package io.varve.store.internal.slice;

import io.varve.store.SliceRange;
import io.varve.store.Slices;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.Microseconds;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One shard of the index while a query reads it, step by step; each step is one page, or the events of one published write. There is
 * a next step only when what the last one brought has been taken.
 *
 * <p>Not safe for use by several threads: everything happens on the owner's.
 */
final class Shard {
    private static final int INBOX = 100;

    private final SliceIndex index;
    /** Absent where the query is not live. */
    private final Optional<SharedShard> shared;

    private final SliceRange slices;
    private final int number;
    private final SliceQuerySettings settings;
    private final Optional<Long> end;
    private final DeliveryRules rules;
    private final Passes passes;
    private final Turns turns;
    private final WaitingEvents waiting;
    private final Executor owner;
    private final Deque<Published> inbox = new ArrayDeque<>();
    /** Where the plain pass has met an entry: a clock that is ahead for a while reads nothing, and must not say that it did. */
    private long floor;

    /** Up to which timestamp it is no wonder that events come by the plain pass alone: before it was open, or refused. */
    private long notExpected;

    private boolean foundUnpublished;
    private int forgotten;
    private boolean busy;
    private boolean finished;
    /** The trail whose step was the last one; none if that was the plain pass. */
    private @Nullable Trail latest;

    /**
     * A shard that is read from now on.
     *
     * @param end where a query that is not live ends
     * @param opened when that is; some time later it hears of all that is published
     */
    Shard(
            SliceIndex index,
            SliceRange slices,
            int number,
            SliceQuerySettings settings,
            Optional<Long> end,
            DeliveryRules rules,
            Turns turns,
            long opened,
            Executor owner) {
        this.index = index;
        this.shared = end.isEmpty() ? Optional.of(index.join(slices.entityType(), number)) : Optional.empty();
        this.slices = slices;
        this.number = number;
        this.settings = settings;
        this.end = end;
        this.rules = rules;
        this.passes = new Passes(settings, rules.start());
        this.turns = turns;
        this.notExpected = opened + Microseconds.of(settings.backtrackingBehind());
        this.waiting = new WaitingEvents(slices, rules.start());
        this.owner = owner;
    }

    /** Events of a write, and whether the index was trusted to show events of their time when they came. */
    private record Published(List<Event> events, boolean old) {
        boolean has(Event event) {
            Event last = events.get(events.size() - 1);
            return last.persistenceId().equals(event.persistenceId())
                    && last.sequenceNumber() >= event.sequenceNumber();
        }

        long newest() {
            return events.get(events.size() - 1).timestamp();
        }
    }

    SliceRange slices() {
        return slices;
    }

    int number() {
        return number;
    }

    /** What was read of it and not yet taken. */
    WaitingEvents waiting() {
        return waiting;
    }

    int failures() {
        return turns.failures();
    }

    /** Whether everything has been read and taken. */
    boolean isFinished() {
        return finished && waiting.isEmpty();
    }

    /** Whether no step is under way, and nothing of the last one waits. */
    boolean isIdle() {
        return !busy && waiting.isEmpty();
    }

    /** Whether it is idle, and a step is to be made. */
    boolean hasSomethingToDo(long now, Urgency urgency) {
        return isIdle() && (!inbox.isEmpty() || due(urgency) <= now);
    }

    /** When the next page is due. */
    long due(Urgency urgency) {
        if (finished) {
            return Long.MAX_VALUE;
        }
        long plain = turns.due(urgency);
        return end.isEmpty() && turns.failures() == 0 ? Math.min(plain, passes.trailsDue()) : plain;
    }

    /** How many events, or published writes, of it are still to be taken. */
    int backlog() {
        return waiting.size() + inbox.size();
    }

    /** How many entities were forgotten too early since the last call, because they were too many. */
    int takeForgotten() {
        int taken = forgotten;
        forgotten = 0;
        return taken;
    }

    /** The clock was set back: what was due in a while still is. */
    void setBack(long by) {
        turns.setBack(by);
        passes.setBack(by);
    }

    /** Whether an entity is of its slices. */
    boolean has(String persistenceId) {
        return number == index.shardOf(Slices.of(persistenceId)) && slices.contains(persistenceId);
    }

    /** Events of some slices are missing: it is asked as soon as the index can show them. */
    void missed(SliceRange some, long now) {
        boolean concerned = some.entityType().equals(slices.entityType())
                && some.min() <= slices.max()
                && slices.min() <= some.max();
        if (concerned && end.isEmpty() && passes.isAtTheEnd()) {
            turns.hurry(now, now + Microseconds.of(settings.behindCurrentTime()));
        }
    }

    /** Whether it has found events since the last call that should have been published, and were not. */
    boolean takeFoundUnpublished() {
        boolean found = foundUnpublished;
        foundUnpublished = false;
        return found;
    }

    /** Takes events of one write of its slices that were just stored, if it is near enough. */
    boolean publish(List<Event> stored, boolean mayPass, long now) {
        Published published =
                new Published(stored, passes.isOld(stored.get(stored.size() - 1).timestamp(), now));
        boolean taken = mayPass && inbox.size() < INBOX && accepts(published, now) && inbox.add(published);
        if (!taken) {
            refused(published);
        }
        return taken;
    }

    /** Only the plain pass will bring them, on its next turn, and that says nothing against publishing. */
    private void refused(Published published) {
        notExpected = Math.max(notExpected, published.newest());
        turns.asUsual();
    }

    /** Only where the plain pass is near, or an offset would skip what is before. */
    private boolean accepts(Published published, long now) {
        long newest = published.newest();
        return end.isEmpty()
                && turns.failures() == 0
                && newest <= now + Microseconds.of(settings.backtrackingBehind())
                && waiting.watermark() >= newest - slack(settings)
                && rules.hasRoom(passes.readThrough());
    }

    /** Makes the next step: a page if one is due, else what was published. Completes when what it brought waits to be taken. */
    CompletionStage<Void> step(long now, Urgency urgency) {
        busy = true;
        return due(urgency) <= now ? read(now, urgency) : deliver(inbox.remove(), now);
    }

    /** The step is over, and a next one may be made. */
    void stepEnded() {
        busy = false;
    }

    /** A step has failed: what was published is not waited for, the plain pass will find it. */
    void failed(long now) {
        turns.failed(now);
        inbox.forEach(this::refused);
        inbox.clear();
    }

    /** It is read no more. */
    void close() {
        shared.ifPresent(SharedShard::leave);
    }

    private CompletionStage<Void> read(long now, Urgency urgency) {
        if (turns.failures() == 0) {
            boolean trailsTurn = end.isEmpty() && (latest == null || turns.due(urgency) > now);
            latest = trailsTurn ? passes.trailDue(now) : null;
        }
        Trail trail = latest;
        return trail == null ? readPlain(now, turns.due(urgency)) : read(trail, now);
    }

    /** A page that is read by one request, of this query or of another one, since its turn came. */
    private CompletionStage<SharedPass.Answer> page(
            @Nullable Trail trail, IndexCursor from, long until, long due, long now) {
        return shared.isPresent()
                ? shared.get().read(passes.number(trail), from, until, settings.pageSize(), due, now)
                : index.read(slices.entityType(), number, from, until, settings.pageSize())
                        .thenApply(page -> new SharedPass.Answer(page, until, now));
    }

    private CompletionStage<Void> readPlain(long now, long due) {
        long until = end.orElse(now - Microseconds.of(settings.behindCurrentTime()));
        if (until < passes.plain().timestamp()) { // the clock was set back, or the offset is of one that was ahead
            finished = end.isPresent();
            turns.reachedTheEnd(false, now);
            makeWait(List.of(), waiting.watermark());
            return CompletableFuture.completedFuture(null);
        }
        IndexCursor from = passes.next(now, rules.rememberedFrom());
        return page(null, from, until, due, now)
                .thenComposeAsync(
                        read -> rules.settle(read.page().events(), false, passes.trusted(read.at(), null))
                                .thenAcceptAsync(
                                        settled -> readPlain(read.page(), read.until(), settled, read.at()), owner),
                        owner);
    }

    private void readPlain(IndexPage page, long until, List<Event> settled, long now) {
        foundUnpublished |= passes.isAtTheEnd() && settled.stream().anyMatch(this::shouldHaveBeenPublished);
        passes.read(page, now);
        long reached = page.more() ? passes.plain().timestamp() : until;
        floor = Math.max(
                floor, Math.min(passes.plain().timestamp(), now - Microseconds.of(settings.behindCurrentTime())));
        finished = end.isPresent() && !page.more();
        if (page.more()) {
            turns.goOn(now);
        } else {
            turns.reachedTheEnd(!settled.isEmpty(), now);
        }
        deliver(settled, Math.max(waiting.watermark(), reached), now);
    }

    private boolean shouldHaveBeenPublished(Event event) {
        return event.timestamp() > notExpected && inbox.stream().noneMatch(published -> published.has(event));
    }

    private CompletionStage<Void> read(Trail trail, long now) {
        long until = trail.until(passes.plain(), now);
        if (until < trail.cursor().timestamp()) {
            trail.waitOn(now);
            return CompletableFuture.completedFuture(null);
        }
        return page(trail, trail.cursor(), until, trail.due(), now)
                .thenComposeAsync(
                        read -> rules.settle(read.page().events(), true, passes.trusted(read.at(), trail))
                                .thenAcceptAsync(
                                        settled -> {
                                            trail.read(read.page(), read.until(), passes.plain(), read.at());
                                            turns.answered();
                                            deliver(settled, waiting.watermark(), read.at());
                                        },
                                        owner),
                        owner);
    }

    /** Published events that were old when they came may have met no pass, or all: only what was delivered of their entity tells. */
    private CompletionStage<Void> deliver(Published published, long now) {
        latest = null; // if it fails, the plain pass goes on
        boolean accepted = accepts(published, now)
                && (!published.old() || rules.isNext(published.events().get(0)));
        if (!accepted) {
            refused(published);
        }
        return accepted
                ? rules.settle(published.events(), !published.old(), passes.trustedBeforePublished(now))
                        .thenAcceptAsync(settled -> deliver(settled, waiting.watermark(), now), owner)
                : CompletableFuture.completedFuture(null);
    }

    private void deliver(List<Event> settled, long upTo, long now) {
        forgotten += rules.delivered(settled, passes.metAgainFrom(now), passes.readThrough());
        makeWait(settled, upTo);
    }

    private void makeWait(List<Event> settled, long upTo) {
        waiting.add(settled, finished ? Long.MAX_VALUE : upTo, floor);
    }

    /** How far shards may be apart when their events are delivered: within the window that a restart reads again. */
    static long slack(SliceQuerySettings settings) {
        return Microseconds.of(settings.backtrackingWindow()) / 2;
    }
}
