package io.varve.simulation;

import io.varve.persistence.internal.query.EnvelopeOffsets;
import io.varve.persistence.internal.query.OffsetStarts;
import io.varve.persistence.query.SliceOffsets;
import io.varve.store.SliceRange;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.slice.SliceEvent;
import io.varve.store.internal.slice.SliceQuery;
import io.varve.store.internal.slice.SliceQuerySettings;
import io.varve.store.internal.slice.SliceStart;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.persistence.query.Offset;
import org.jspecify.annotations.Nullable;

/**
 * A live query on a node, from its start to its end: what the stream of a read journal does, without the stream. Its consumer takes
 * one event after another, as fast as it likes.
 */
final class QueryRun {
    /** What takes events: it calls back when it is done with one. */
    interface Handler {
        void handle(Event event, Offset offset, Runnable done);
    }

    private final World world;
    private final ServiceNode process;
    private final SliceQuerySettings settings;
    private final Handler handler;
    private final boolean grow;
    private final SliceQuery query;
    private final EnvelopeOffsets offsets;
    private final Set<SliceRange> known = new HashSet<>();
    private Instant knownSince = Instant.EPOCH;
    private World.@Nullable Task timer;
    private boolean busy;
    private boolean open = true;

    /** A query by tag asks which entity types have tagged events, now and then; others are given their range. */
    QueryRun(
            World world,
            ServiceNode process,
            SliceQuerySettings settings,
            Offset start,
            Optional<SliceRange> range,
            Handler handler) {
        this.world = world;
        this.process = process;
        this.settings = settings;
        this.handler = handler;
        this.grow = range.isEmpty();
        this.offsets = EnvelopeOffsets.startingAt(start, process.node().clock());
        this.query = new SliceQuery(
                process.index(),
                process.reader(),
                settings,
                new SliceQuery.Plan(OffsetStarts.of(start, grow, settings), start instanceof SliceOffsets, true),
                process.node().clock(),
                this::soon,
                this::take);
        Supplier<CompletionStage<Set<SliceRange>>> ranges = range.isPresent()
                ? () -> CompletableFuture.completedFuture(Set.of(range.get()))
                : () -> process.taggedTypes().taggedTypes().thenApply(types -> {
                    Set<SliceRange> all = new HashSet<>();
                    types.forEach(type -> all.add(SliceRange.all(type)));
                    return all;
                });
        soon(() -> askForRanges(ranges));
    }

    boolean isOpen() {
        return open && process.node().isAlive();
    }

    ServiceNode process() {
        return process;
    }

    void close() {
        open = false;
        query.close();
    }

    /** Something happens on the node, in its order, unless it is over. */
    private void soon(Runnable action) {
        process.node().after(Duration.ZERO, () -> {
            if (open) {
                world.keep(action);
            }
        });
    }

    private void askForRanges(Supplier<CompletionStage<Set<SliceRange>>> ranges) {
        Instant asked = process.node().clock().instant();
        process.reader()
                .ready()
                .thenCompose(ready -> ranges.get())
                .whenComplete((found, thrown) -> soon(() -> {
                    if (thrown == null) {
                        add(found, asked);
                    }
                    if (grow || thrown != null) {
                        process.node().after(settings.refreshInterval(), () -> {
                            if (open) {
                                askForRanges(ranges);
                            }
                        });
                    }
                }));
    }

    private void add(Set<SliceRange> ranges, Instant asked) {
        List<SliceRange> added = ranges.stream().filter(known::add).toList();
        query.read(added, new SliceStart(Microseconds.of(knownSince), Map.of()));
        if (grow) {
            offsets.reads(added, knownSince, asked);
        }
        knownSince = asked;
        take();
    }

    /** Events that were just stored somewhere. */
    void published(List<Event> events) {
        soon(() -> {
            query.publishingShown();
            query.published(events);
            take();
        });
    }

    private void take() {
        if (!open) {
            return;
        }
        if (!busy) {
            SliceEvent delivery = query.poll();
            if (delivery != null) {
                busy = true;
                world.delivered();
                Offset offset = offsets.of(delivery);
                handler.handle(
                        delivery.event(),
                        offset,
                        () -> soon(() -> {
                            busy = false;
                            take();
                        }));
            }
        }
        if (query.failure().isPresent()) {
            world.note(() -> "a query on " + process.node().name() + " fails: "
                    + query.failure().get().getMessage());
            close();
            return;
        }
        if (timer != null) {
            timer.callOff();
        }
        timer = query.untilNextStep()
                .map(delay -> process.node().after(delay, () -> {
                    if (open) {
                        query.proceed();
                        take();
                    }
                }))
                .orElse(null);
    }
}
