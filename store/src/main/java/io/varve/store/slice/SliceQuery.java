package io.varve.store.slice;

import io.varve.store.EventReader;
import io.varve.store.VarveException;
import io.varve.store.client.Causes;
import io.varve.store.client.StoreException;
import io.varve.store.layout.Event;
import io.varve.store.layout.Slices;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
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

    private static final int INBOX = 100;

    private final SliceIndex index;
    private final EventReader events;
    private final SliceQuerySettings settings;
    private final Plan plan;
    private final InstantSource clock;
    private final Executor owner;
    private final Runnable changed;
    private final Merge merge;
    private final Optional<Long> end;
    private final List<Shard> shards = new ArrayList<>();
    private @Nullable Throwable failure;
    private boolean begun;
    private boolean open = true;
    private int underWay;
    private int turn;
    private long latestNow;

    /**
     * What to read.
     *
     * @param starts where each slice begins
     * @param offsetPerSlice whether the caller keeps an offset for each slice; if it keeps one for all, shards wait for each other
     * @param live whether to go on when the end is reached
     */
    public record Plan(IntFunction<SliceStart> starts, boolean offsetPerSlice, boolean live) {}

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
        this.end = plan.live() ? Optional.empty() : Optional.of(now() + ShardReader.micros(AHEAD));
        long slack = plan.live() ? ShardReader.slack(settings) : 0;
        this.merge = new Merge(plan.offsetPerSlice() ? Merge.ANY_SLACK : slack);
    }

    /** A shard with what is under way for it. */
    private static final class Shard {
        private final SliceRange range;
        private final int number;
        private final ShardReader reader;
        private final Merge.Input output;
        private final Deque<List<Event>> published = new ArrayDeque<>();
        private boolean busy;

        Shard(SliceRange range, int number, ShardReader reader, Merge.Input output) {
            this.range = range;
            this.number = number;
            this.reader = reader;
            this.output = output;
        }

        boolean isIdle() {
            return !busy && output.isEmpty();
        }
    }

    /** Reads these ranges, beside those that it reads already. */
    public void read(Collection<SliceRange> ranges) {
        begun = true;
        ranges.forEach(this::add);
        proceed();
    }

    private void add(SliceRange range) {
        long now = now();
        long interval = ShardReader.micros(settings.refreshInterval());
        int from = range.firstShard(index.shards());
        int count = range.lastShard(index.shards()) - from + 1;
        for (int i = 0; i < count; i++) {
            ShardReader reader = reader(range, from + i, count);
            long phase = interval * i / count;
            reader.begin(plan.live() ? now + phase / STAGGER : now, now + phase);
            shards.add(new Shard(range, from + i, reader, merge.input(reader.watermark())));
        }
    }

    private ShardReader reader(SliceRange range, int shard, int siblings) {
        int size = Slices.NUMBER / index.shards();
        int first = Math.max(range.min(), shard * size);
        int last = Math.min(range.max(), shard * size + size - 1);
        long start = Long.MAX_VALUE;
        for (int slice = first; slice <= last; slice++) {
            start = Math.min(start, windowBefore(slice).timestamp());
        }
        Delivered delivered = new Delivered(Math.max(1, settings.rememberedEntities() / siblings), start);
        for (int slice = first; slice <= last; slice++) {
            SliceStart from = plan.starts().apply(slice);
            int number = slice;
            from.seen().forEach((persistenceId, sequenceNumber) -> {
                if (Slices.of(persistenceId) == number) {
                    delivered.add(persistenceId, sequenceNumber, from.timestamp());
                }
            });
        }
        Executor whileOpen = task -> owner.execute(() -> {
            if (open) {
                task.run();
            }
        });
        Settling settling = new Settling(events, range, this::windowBefore, delivered, clock, whileOpen);
        return new ShardReader(index, range.entityType(), shard, settings, end, start, delivered, settling, whileOpen);
    }

    private SliceStart windowBefore(int slice) {
        SliceStart start = plan.starts().apply(slice);
        return new SliceStart(
                Math.max(0, start.timestamp() - ShardReader.micros(settings.backtrackingWindow())), start.seen());
    }

    /** The next event, if there is one now. */
    public @Nullable Event poll() {
        Event event = merge.poll();
        if (event != null) {
            proceed();
        }
        return event;
    }

    /** Whether everything has been read and taken. */
    public boolean isFinished() {
        return begun
                && !plan.live()
                && underWay == 0
                && shards.stream().allMatch(shard -> shard.reader.isFinished() && shard.output.isEmpty());
    }

    /** Why no more events will come. */
    public Optional<Throwable> failure() {
        return Optional.ofNullable(failure);
    }

    /** How long from now until {@link #proceed} has something to do, unless a result or a taken event comes first. */
    public Optional<Duration> untilNextStep() {
        long next = shards.stream()
                .filter(Shard::isIdle)
                .mapToLong(shard -> shard.reader.due())
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
        boolean nothingDue = shards.stream()
                .filter(Shard::isIdle)
                .allMatch(shard -> shard.published.isEmpty() && shard.reader.due() > now);
        return nothingDue && (underWay == 0 || !open);
    }

    /** Sends what is due, as far as requests may run at once. */
    public void proceed() {
        long now = now();
        for (int i = 0; i < shards.size() && open && underWay < settings.parallelism(); i++) {
            Shard shard = shards.get((turn + i) % shards.size());
            if (shard.isIdle()) {
                proceed(shard, now);
            }
        }
        turn = shards.isEmpty() ? 0 : (turn + 1) % shards.size();
    }

    private void proceed(Shard shard, long now) {
        if (shard.reader.due() <= now) {
            run(shard, shard.reader.step(now));
        } else if (!shard.published.isEmpty()) {
            run(shard, shard.reader.publish(shard.published.remove(), now));
        }
    }

    /** Events that were just stored, all of one entity. They are taken where this query has nearly caught up. */
    public void published(List<Event> stored) {
        String persistenceId = stored.get(0).persistenceId();
        long now = now();
        for (Shard shard : shards) {
            if (shard.number == Slices.of(persistenceId) / (Slices.NUMBER / index.shards())
                    && shard.range.contains(persistenceId)
                    && shard.published.size() < INBOX
                    && shard.reader.takes(stored, now)
                    && merge.mayPass(stored.get(stored.size() - 1).timestamp())) {
                shard.published.add(stored);
                proceed();
            }
        }
    }

    /** Sends nothing from now on; what is under way is ignored. */
    public void close() {
        open = false;
        shards.clear();
    }

    private void run(Shard shard, CompletionStage<List<Event>> step) {
        underWay++;
        shard.busy = true;
        step.whenCompleteAsync(
                (settled, thrown) -> {
                    underWay--;
                    shard.busy = false;
                    if (!open) {
                        return;
                    }
                    if (thrown == null) {
                        shard.output.add(settled, shard.reader.watermark());
                    } else {
                        failed(shard, Causes.unwrap(thrown));
                    }
                    proceed();
                    changed.run();
                },
                owner);
    }

    private void failed(Shard shard, Throwable cause) {
        boolean passes = cause instanceof StoreException store && store.kind().retryable();
        if (!passes) {
            fail(cause);
            return;
        }
        shard.reader.failed(now());
        shard.published.clear();
        int failures = shard.reader.failures();
        if (failures >= settings.maxFailures()) {
            fail(new VarveException(
                    "The query of shard " + shard.number + " of entity type '" + shard.range.entityType() + "' failed "
                            + failures + " times in a row (max-failures).",
                    cause));
        } else {
            LOG.warn(
                    "Reading shard {} of entity type '{}' failed, {} times in a row by now, and will be tried again: {}",
                    shard.number,
                    shard.range.entityType(),
                    failures,
                    cause.getMessage());
        }
    }

    private void fail(Throwable cause) {
        failure = cause;
        close();
    }

    private long now() {
        Instant instant = clock.instant();
        long now = instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
        if (now < latestNow) {
            shards.forEach(shard -> shard.reader.setBack(latestNow - now));
        }
        latestNow = now;
        return now;
    }
}
