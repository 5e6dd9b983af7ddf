package io.varve.store.internal.slice;

import io.varve.store.SliceRange;
import io.varve.store.StoreException;
import io.varve.store.VarveException;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.journal.EventReader;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.Microseconds;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the events of slices, now or for as long as it is open. A shard is read further when what was read of it has been taken,
 * so that memory stays bounded.
 *
 * <p>Not safe for use by several threads: everything is called, and calls back, on the owner's.
 */
public final class SliceQuery {
    private static final Logger LOG = LoggerFactory.getLogger(SliceQuery.class);
    /** A query that is not live ends this much after its start, so that events from clocks that are ahead are there. */
    private static final Duration AHEAD = Duration.ofMinutes(1);
    /** The first requests of all shards are spread over this part of the refresh interval, all later ones over the whole. */
    private static final int STAGGER = 8;

    private static final Duration WARN_EVERY = Duration.ofMinutes(10);

    private final SliceIndex index;
    private final EventReader events;
    private final SliceQuerySettings settings;
    private final Plan plan;
    private final InstantSource clock;
    private final Executor owner;
    private final Runnable changed;
    private final Merge merge;
    private final Optional<Long> end;
    private final PublishingHealth publishing = new PublishingHealth();
    private final List<Shard> shards = new ArrayList<>();
    private @Nullable Throwable failure;
    private boolean begun;
    private boolean open = true;
    private int underWay;
    private int turn;
    private long latestNow;
    private long nextWarning;

    /**
     * What to read.
     *
     * @param starts where it begins
     * @param offsetPerSlice whether the caller keeps an offset for each slice; if it keeps one for all, shards wait for each other
     * @param live whether to go on when the end is reached
     */
    public record Plan(SliceStarts starts, boolean offsetPerSlice, boolean live) {}

    /** A query whose owner is told through {@code changed} when there may be something to take, a failure, or the end. */
    public SliceQuery(
            SliceIndex index,
            EventReader events,
            SliceQuerySettings settings,
            Plan plan,
            InstantSource clock,
            Executor owner,
            Runnable changed) {
        this.index = index;
        this.events = events;
        this.settings = settings;
        this.plan = plan;
        this.clock = clock;
        this.owner = owner;
        this.changed = changed;
        this.end = plan.live() ? Optional.empty() : Optional.of(now() + Microseconds.of(AHEAD));
        long slack = plan.live() ? Shard.slack(settings) : 0;
        this.merge = new Merge(plan.offsetPerSlice() ? Merge.ANY_SLACK : slack);
    }

    /** Reads these ranges, beside those that it reads already. */
    public void read(Collection<SliceRange> ranges) {
        read(ranges, SliceStart.BEGINNING);
    }

    /** As the other one; nothing that is wanted of the ranges is older than {@code earliest}, except by clocks that differ. */
    public void read(Collection<SliceRange> ranges, SliceStart earliest) {
        begun = true;
        for (SliceRange range : ranges) {
            add(range, slice -> later(plan.starts().of(range.entityType(), slice), earliest));
        }
        proceed();
    }

    private static SliceStart later(SliceStart one, SliceStart other) {
        return other.timestamp() > one.timestamp() ? other : one;
    }

    private void add(SliceRange range, IntFunction<SliceStart> starts) {
        long now = now();
        long interval = Microseconds.of(settings.refreshInterval());
        int first = index.shardOf(range.min());
        int count = index.shardOf(range.max()) - first + 1;
        for (int i = 0; i < count; i++) {
            long due = plan.live() ? now + interval * i / count / STAGGER : now;
            long phase = interval * (first + i) / index.shards(); // the same for all queries, which read together
            Turns turns = new Turns(settings, due, phase);
            Shard shard = shard(index.inShard(range, first + i), first + i, starts, count, turns);
            shards.add(shard);
            merge.add(shard.waiting());
        }
    }

    private Shard shard(SliceRange slices, int number, IntFunction<SliceStart> starts, int siblings, Turns turns) {
        Executor whileOpen = task -> owner.execute(() -> {
            if (open) {
                task.run();
            }
        });
        DeliveryRules rules = new DeliveryRules(
                events,
                slices,
                starts,
                settings.backtrackingWindow(),
                Math.max(1, settings.rememberedEntities() / siblings),
                clock,
                whileOpen);
        return new Shard(index, slices, number, settings, end, rules, turns, now(), whileOpen);
    }

    /** More ranges may be added, with events after a timestamp: who keeps one offset must not get beyond what that can miss. */
    public void mayMiss(long after) {
        merge.mayMiss(after);
    }

    /** The next event, if there is one now. */
    public @Nullable SliceEvent poll() {
        SliceEvent event = merge.poll();
        if (event != null) {
            proceed();
        }
        return event;
    }

    /** Whether everything has been read and taken. */
    public boolean isFinished() {
        return begun && !plan.live() && underWay == 0 && shards.stream().allMatch(Shard::isFinished);
    }

    /** Why no more events will come. */
    public Optional<Throwable> failure() {
        return Optional.ofNullable(failure);
    }

    /** How long from now until {@link #proceed} has something to do, unless a result or a taken event comes first. */
    public Optional<Duration> untilNextStep() {
        Urgency urgency = urgency(now());
        long next = shards.stream()
                .filter(Shard::isIdle)
                .mapToLong(shard -> shard.due(urgency))
                .min()
                .orElse(Long.MAX_VALUE);
        return next == Long.MAX_VALUE || underWay >= settings.parallelism()
                ? Optional.empty()
                : Optional.of(Duration.ofNanos(Math.max(0, next - now()) * 1_000));
    }

    /** How many requests run. */
    int underWay() {
        return underWay;
    }

    /** Whether nothing is under way, and nothing due now. */
    boolean isAtRest() {
        long now = now();
        Urgency urgency = urgency(now);
        return !open || (underWay == 0 && shards.stream().noneMatch(shard -> shard.hasSomethingToDo(now, urgency)));
    }

    private Urgency urgency(long now) {
        if (hasEnough()) {
            return Urgency.NONE;
        }
        return publishing.isGood(now) ? Urgency.LOW : Urgency.USUAL;
    }

    /** Whether more than a page of events is there to be taken, so that shards without any need not be asked on their turns. */
    private boolean hasEnough() {
        int backlog = 0;
        for (Shard shard : shards) {
            backlog += shard.backlog();
        }
        return plan.live() && backlog > settings.pageSize() && !merge.isHeldUp();
    }

    /** Sends what is due, as far as requests may run at once. */
    public void proceed() {
        long now = now();
        Urgency urgency = urgency(now);
        for (int i = 0; i < shards.size() && open && underWay < settings.parallelism(); i++) {
            Shard shard = shards.get((turn + i) % shards.size());
            if (shard.hasSomethingToDo(now, urgency)) {
                run(shard, shard.step(now, urgency));
            }
        }
        turn = shards.isEmpty() ? 0 : (turn + 1) % shards.size();
    }

    /** Events that were just stored, all of one entity. They are taken where this query has nearly caught up. */
    public void published(List<Event> stored) {
        long now = now();
        boolean mayPass = merge.mayPass(stored.get(stored.size() - 1).timestamp());
        String persistenceId = stored.get(0).persistenceId();
        for (Shard shard : shards) {
            if (shard.has(persistenceId) && shard.publish(stored, mayPass, now)) {
                proceed();
                return;
            }
        }
    }

    /** All that is stored where this query is heard of is published, with numbers. */
    public void publishingShown() {
        publishing.shown();
    }

    /** Events are published in a way that does not show when one is missing. */
    public void publishingDoubted() {
        publishing.doubted(now());
    }

    /** Events of these slices were published, and have not come here. */
    public void missed(SliceRange slices) {
        long now = now();
        shards.forEach(shard -> shard.missed(slices, now));
    }

    /** Sends nothing from now on; what is under way is ignored. */
    public void close() {
        open = false;
        shards.forEach(Shard::close);
        shards.clear();
    }

    private void run(Shard shard, CompletionStage<Void> step) {
        underWay++;
        step.whenCompleteAsync(
                (done, thrown) -> {
                    underWay--;
                    shard.stepEnded();
                    if (!open) {
                        return;
                    }
                    if (thrown != null) {
                        failed(shard, Causes.unwrap(thrown));
                    }
                    reportForgotten(shard);
                    if (shard.takeFoundUnpublished()) {
                        publishing.doubted(now());
                    }
                    proceed();
                    changed.run();
                },
                owner);
    }

    private void reportForgotten(Shard shard) {
        int forgotten = shard.takeForgotten();
        if (forgotten == 0) {
            return;
        }
        index.forgotten(shard.slices().entityType(), forgotten);
        long now = now();
        if (now >= nextWarning) {
            nextWarning = now + Microseconds.of(WARN_EVERY);
            LOG.warn(
                    "A query of entity type '{}' forgets entities, because more than remembered-entities ({}, divided among its"
                            + " shards) have had events within {} s. Events that the index shows late are found for a shorter"
                            + " time, and not after that: raise remembered-entities.",
                    shard.slices().entityType(),
                    settings.rememberedEntities(),
                    settings.trustedAge().toSeconds());
        }
    }

    private void failed(Shard shard, Throwable cause) {
        boolean passes = cause instanceof StoreException store && store.kind().retryable();
        if (!passes) {
            fail(cause);
            return;
        }
        shard.failed(now());
        int failures = shard.failures();
        if (failures >= settings.maxFailures()) {
            fail(new VarveException(
                    "The query of shard " + shard.number() + " of entity type '"
                            + shard.slices().entityType() + "' failed " + failures + " times in a row (max-failures).",
                    cause));
        } else {
            LOG.warn(
                    "Reading shard {} of entity type '{}' failed, {} times in a row by now, and will be tried again: {}",
                    shard.number(),
                    shard.slices().entityType(),
                    failures,
                    cause.getMessage());
        }
    }

    private void fail(Throwable cause) {
        failure = cause;
        close();
    }

    private long now() {
        long now = Microseconds.of(clock.instant());
        if (now < latestNow) {
            shards.forEach(shard -> shard.setBack(latestNow - now));
            publishing.setBack(latestNow - now);
        }
        latestNow = now;
        return now;
    }
}
