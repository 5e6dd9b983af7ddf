package io.varve.simulation;

import io.varve.projection.internal.event.AdaptedEvent;
import io.varve.projection.internal.event.EntityEvents;
import io.varve.projection.internal.event.Position;
import io.varve.projection.internal.progress.InFlight;
import io.varve.projection.internal.progress.OffsetManagement;
import io.varve.projection.internal.progress.ProjectionProgress;
import io.varve.projection.internal.progress.Transactions;
import io.varve.projection.internal.progress.Verdict;
import io.varve.store.FailureKind;
import io.varve.store.SliceRange;
import io.varve.store.Slices;
import io.varve.store.StoreException;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.EventId;
import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.SliceOffset;
import io.varve.store.internal.replay.EventCursor;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.pekko.persistence.query.Offset;
import org.jspecify.annotations.Nullable;

/**
 * An instance of an exactly-once projection on a node, from its start to its end: what the stream of a projection does, without the
 * stream. Whether an event is let in is decided by {@link ProjectionProgress}, as {@code Admission} asks it; events of different
 * entities are stored in parallel.
 */
final class ProjectionRun {
    private static final Duration FLUSH = Duration.ofSeconds(2);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final int PARALLELISM = 3;

    private final World world;
    private final ServiceNode process;
    private final OffsetTable table;
    private final String id;
    private final EffectTruth truth;
    private final Optional<Duration> timeToLive;
    private final BooleanSupplier fails;
    private final ProjectionProgress progress = new ProjectionProgress(Duration.ofSeconds(30), 100, Optional.empty());
    private final Transactions<String> transactions;
    private final Map<String, Deque<InFlight<String>>> lanes = new HashMap<>();
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private @Nullable QueryRun query;
    private int underWay;
    private boolean open = true;

    ProjectionRun(
            World world,
            ServiceNode process,
            OffsetTable table,
            SliceRange range,
            Shape shape,
            String id,
            EffectTruth truth,
            Optional<Duration> timeToLive,
            BooleanSupplier fails) {
        this.world = world;
        this.process = process;
        this.table = table;
        this.id = id;
        this.truth = truth;
        this.timeToLive = timeToLive;
        this.fails = fails;
        this.transactions = new Transactions<>(id, table, progress);
        int perShard = Slices.NUMBER / shape.indexShards();
        note(() -> "starts");
        then(() -> table.start(range.min(), range.max(), OptionalInt.of(perShard)), stored -> {
            EntityEvents.Reads reads = new EntityEvents.Reads(
                    Optional.of(range.entityType()),
                    OptionalInt.of(perShard),
                    shape.queries().backtrackingWindow());
            progress.start(range.min(), range.max(), reads, stored);
            Offset from = OffsetManagement.asOffset(progress.places()).withEventOffsets();
            query = new QueryRun(world, process, shape.queries(), from, Optional.of(range), this::admit);
            flushLater();
        });
    }

    boolean isOpen() {
        return open && process.node().isAlive() && (query == null || query.isOpen());
    }

    /** Whether it still reads what is stored. */
    boolean isStarting() {
        return query == null;
    }

    /** Ends; what is under way is not waited for. */
    void close() {
        open = false;
        if (query != null) {
            query.close();
        }
    }

    /** Ends as a stream does that is stopped or has failed: places are stored once more. */
    void stop() {
        if (!open) {
            return;
        }
        note(() -> "stops");
        close();
        Map<Integer, SliceOffset> last = progress.takeLast();
        if (!last.isEmpty()) {
            table.save(last, progress.sets()).exceptionally(thrown -> null);
        }
    }

    void published(List<Event> events) {
        if (query != null) {
            query.published(events);
        }
    }

    /** Does something until it works, unless it never can: then the instance ends. */
    private <T> void then(Supplier<CompletionStage<T>> action, Consumer<T> next) {
        action.get()
                .whenComplete((result, thrown) -> soon(Duration.ZERO, () -> {
                    if (thrown == null) {
                        next.accept(result);
                    } else if (isOutage(Causes.unwrap(thrown))) {
                        soon(world.about(PAUSE), () -> then(action, next));
                    } else {
                        note(() -> "fails: " + Causes.unwrap(thrown).getMessage());
                        stop();
                    }
                }));
    }

    private static boolean isOutage(Throwable cause) {
        return cause instanceof StoreException store && store.kind() != FailureKind.CONDITION && !store.isInvalid();
    }

    private void soon(Duration delay, Runnable action) {
        process.node().after(delay, () -> {
            if (open) {
                world.keep(action);
            }
        });
    }

    private void flushLater() {
        soon(FLUSH, () -> {
            Map<Integer, SliceOffset> changed = progress.takeChanged();
            if (changed.isEmpty()) {
                flushLater();
                return;
            }
            table.save(changed, progress.sets())
                    .whenComplete((saved, thrown) -> soon(Duration.ZERO, () -> {
                        if (thrown == null) {
                            progress.stored(changed);
                        } else {
                            progress.notStored(changed.keySet());
                        }
                        flushLater();
                    }));
        });
    }

    private void admit(Event event, Offset offset, Runnable done) {
        InFlight<String> arrived = inFlight(event, event.timestamp());
        progress.arrived(arrived);
        Set<String> entity = Set.of(event.persistenceId());
        Set<String> unloaded = progress.hold(entity);
        then(
                () -> unloaded.isEmpty()
                        ? CompletableFuture.completedFuture(Map.of())
                        : table.lastProcessed(unloaded, progress.sets()),
                found -> {
                    progress.loaded(unloaded, found);
                    decide(event, arrived, () -> {
                        progress.release(entity);
                        goOn(done);
                    });
                });
    }

    private void goOn(Runnable done) {
        if (underWay < PARALLELISM) {
            done.run();
        } else {
            waiting.add(done);
        }
    }

    /** As the table in the documentation of projections says. */
    private void decide(Event event, InFlight<String> arrived, Runnable done) {
        Position position = arrived.position();
        Verdict verdict = progress.judge(position);
        if (verdict instanceof Verdict.Next) {
            progress.admit(position);
            process(List.of(), arrived, done);
        } else if (verdict instanceof Verdict.Gap gap) {
            world.met(Rare.GAP_FILLED_BY_A_PROJECTION);
            admitAfter(gap.from(), 0, arrived, done);
        } else if (verdict instanceof Verdict.Unknown unknown) {
            long floor = floor(position, unknown);
            EventId before = new EventId(event.persistenceId(), event.sequenceNumber() - 1);
            then(() -> process.reader().events(List.of(before)), found -> {
                if (!found.isEmpty() && found.get(0).timestamp() < floor) {
                    progress.admit(position);
                    process(List.of(), arrived, done);
                } else {
                    admitAfter(unknown.from(), floor, arrived, done);
                }
            });
        } else {
            progress.discard(arrived);
            done.run();
        }
    }

    /** What is before it counts as processed although no row says so. */
    private long floor(Position position, Verdict.Unknown unknown) {
        long setTo = progress.setTo(position.slice());
        return unknown.from() == 1 && timeToLive.isPresent()
                ? Math.max(
                        setTo, Microseconds.of(process.node().clock().instant().minus(timeToLive.get())))
                : setTo;
    }

    private void admitAfter(long from, long floor, InFlight<String> arrived, Runnable done) {
        Position position = arrived.position();
        then(
                () -> all(process.reader().events(position.persistenceId(), from, position.sequenceNumber() - 1)),
                missing -> {
                    progress.admit(position);
                    process(
                            missing.stream()
                                    .filter(earlier -> earlier.timestamp() >= floor)
                                    .map(earlier -> inFlight(earlier, position.timestamp()))
                                    .toList(),
                            arrived,
                            done);
                });
    }

    private static CompletionStage<List<Event>> all(EventCursor cursor) {
        return cursor.next()
                .thenCompose(page -> page.isEmpty()
                        ? CompletableFuture.completedFuture(List.of())
                        : all(cursor).thenApply(rest -> {
                            List<Event> whole = new ArrayList<>(page.get());
                            whole.addAll(rest);
                            return whole;
                        }));
    }

    /** Late ones are stored to come again before they are handed over. */
    private void process(List<InFlight<String>> missing, InFlight<String> arrived, Runnable done) {
        Map<Integer, SliceOffset> back =
                progress.skipped(Set.of(arrived.position().slice()));
        if (back.isEmpty()) {
            begin(missing, arrived);
            done.run();
            return;
        }
        progress.notStored(back.keySet());
        then(() -> table.save(back, progress.sets()), saved -> {
            progress.stored(back);
            begin(missing, arrived);
            done.run();
        });
    }

    private void begin(List<InFlight<String>> missing, InFlight<String> arrived) {
        Deque<InFlight<String>> lane =
                lanes.computeIfAbsent(arrived.position().persistenceId(), none -> new ArrayDeque<>());
        boolean idle = lane.isEmpty();
        Stream.concat(missing.stream(), Stream.of(arrived)).forEach(event -> {
            progress.begin(event);
            lane.add(event);
            underWay++;
        });
        if (idle) {
            next(lane);
        }
    }

    private static InFlight<String> inFlight(Event event, long cause) {
        return new InFlight<>(
                new AdaptedEvent<>(
                        position(event), List.of(event.payload().bytes().asUtf8String())),
                cause);
    }

    private void next(Deque<InFlight<String>> lane) {
        InFlight<String> event = lane.peek();
        if (event == null) {
            return;
        }
        truth.handed(event.position().persistenceId(), event.position().sequenceNumber(), world.now());
        if (fails.getAsBoolean()) {
            note(() -> "has a handler that fails for " + event.position());
            world.met(Rare.HANDLER_FAILED);
            stop();
            return;
        }
        List<InFlight<String>> one = List.of(event);
        then(() -> transactions.store(List.of(Effects.put(id, event.position())), one), elsewhere -> {
            if (!elsewhere.isEmpty()) {
                world.met(Rare.EVENT_PROCESSED_ELSEWHERE);
            }
            progress.complete(one);
            note(() -> "has stored " + event.position());
            lane.remove();
            underWay--;
            next(lane);
            if (!waiting.isEmpty()) {
                waiting.remove().run();
            }
        });
    }

    private static Position position(Event event) {
        return new Position(
                event.persistenceId(), event.sequenceNumber(), event.timestamp(), Slices.of(event.persistenceId()));
    }

    private void note(Supplier<String> what) {
        world.note(() -> id + " on " + process.node().name() + " " + what.get());
    }
}
