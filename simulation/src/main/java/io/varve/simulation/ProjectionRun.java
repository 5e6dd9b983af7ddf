package io.varve.simulation;

import io.varve.projection.ProgressObserver;
import io.varve.projection.internal.admission.Admission;
import io.varve.projection.internal.admission.LastProcessedEvents;
import io.varve.projection.internal.event.EntityEvents;
import io.varve.projection.internal.progress.OffsetManagement;
import io.varve.projection.internal.progress.OffsetSaver;
import io.varve.projection.internal.progress.ProgressStore;
import io.varve.projection.internal.progress.StreamProgress;
import io.varve.projection.internal.progress.Transactions;
import io.varve.projection.internal.retry.OutageRetries;
import io.varve.projection.internal.retry.StopSignal;
import io.varve.projection.internal.settings.OffsetStoreSettings;
import io.varve.projection.internal.settings.Pauses;
import io.varve.store.SliceRange;
import io.varve.store.Slices;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.offset.OffsetTable;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.projection.ProjectionId;
import org.jspecify.annotations.Nullable;

/**
 * An instance of a projection on a node, from its start to its end: what {@code ProjectionStream} does, without Pekko's streams.
 * Whether an event is let in, what comes before it, and what is stored when is decided by the projection's own classes.
 */
final class ProjectionRun {
    private static final Duration FLUSH = Duration.ofSeconds(2);
    private static final int ENTITIES_IN_A_SAVE = 25;
    private static final OffsetStoreSettings.Retries RETRIES =
            new OffsetStoreSettings.Retries(2, new Pauses(Duration.ofMillis(300), Duration.ofSeconds(3), 0));
    private static final ProgressObserver NOBODY = (projection, slice, seen, stored) -> {};

    private final ProjectionSetup setup;
    private final World world;
    private final ServiceNode process;
    private final String id;
    private final StopSignal stop = new StopSignal();
    private final OutageRetries outages;
    private final StreamProgress progress = new StreamProgress(Duration.ofSeconds(30), 100, Optional.empty());
    private final OffsetSaver saver;
    private final ProjectionDelivery delivery;
    private final ProjectionIntake intake;
    private @Nullable QueryRun query;
    private boolean open = true;

    ProjectionRun(ProjectionSetup setup, ServiceNode process, OffsetTable table, String id) {
        this.setup = setup;
        this.world = setup.world();
        this.process = process;
        this.id = id;
        ProjectionId name = ProjectionId.of(setup.name(), id);
        this.outages = new OutageRetries(
                name,
                RETRIES,
                NOBODY,
                (delay, action) -> process.node().after(delay, action)::callOff,
                process.node().clock(),
                stop);
        this.saver = new OffsetSaver(name, table, ENTITIES_IN_A_SAVE, progress, NOBODY, outages);
        if (setup.kind().isExactlyOnce()) {
            saver.exactlyOnce();
        }
        Admission<String> admission = new Admission<>(
                name,
                LastProcessedEvents.of(table),
                progress,
                new JournalTimes(process.reader()),
                new Admission.Rules(true, setup.timeToLive(), process.node().clock()),
                outages);
        this.delivery = new ProjectionDelivery(
                setup,
                this,
                name,
                new ProgressStore<>(progress, new Transactions<>(id, table, progress), saver, outages));
        this.intake =
                new ProjectionIntake(setup, this, process.reader(), progress, admission, saver, outages, delivery);
        start(table);
    }

    private void start(OffsetTable table) {
        note(() -> "starts");
        setup.truth().started(id, world.now());
        SliceRange range = setup.range();
        int perShard = Slices.NUMBER / setup.shape().indexShards();
        then(outages.run(() -> table.start(range.min(), range.max(), OptionalInt.of(perShard))), stored -> {
            EntityEvents.Reads reads = new EntityEvents.Reads(
                    Optional.of(range.entityType()),
                    OptionalInt.of(perShard),
                    setup.shape().queries().backtrackingWindow());
            progress.start(range.min(), range.max(), reads, stored);
            Offset from = OffsetManagement.asOffset(progress.places()).withEventOffsets();
            query = new QueryRun(world, process, setup.shape().queries(), from, Optional.of(range), intake::arrived);
            flushLater();
        });
    }

    ServiceNode process() {
        return process;
    }

    boolean isOpen() {
        return open && process.node().isAlive() && (query == null || query.isOpen());
    }

    /** Whether it still reads what is stored. */
    boolean isStarting() {
        return query == null;
    }

    /** Ends when what is under way is done. */
    void stop() {
        if (open) {
            note(() -> "stops");
            delivery.finish();
            end();
        }
    }

    private void fail(Throwable cause) {
        if (open) {
            note(() -> "fails: " + cause.getMessage());
            end();
        }
    }

    private void end() {
        open = false;
        if (query != null) {
            query.close();
        }
        stop.stop();
        delivery.settled()
                .thenCompose(settled -> saver.saved())
                .thenCompose(saved -> saver.lastFlush())
                .whenComplete((flushed, thrown) -> note(() -> "has ended"));
    }

    void published(List<Event> events) {
        if (query != null) {
            query.published(events);
        }
    }

    /** Goes on with a result, unless the instance has ended; a failure ends it. */
    <T> void then(CompletionStage<T> stage, Consumer<T> next) {
        stage.whenComplete((result, thrown) -> soon(Duration.ZERO, () -> {
            if (thrown == null) {
                next.accept(result);
            } else {
                fail(Causes.unwrap(thrown));
            }
        }));
    }

    /** Does something later, unless the instance has ended. */
    World.Task soon(Duration delay, Runnable action) {
        return later(delay, () -> {
            if (open) {
                action.run();
            }
        });
    }

    /** Does something later. */
    World.Task later(Duration delay, Runnable action) {
        return process.node().after(delay, () -> world.keep(action));
    }

    void note(Supplier<String> what) {
        world.note(() -> id + " on " + process.node().name() + " " + what.get());
    }

    private void flushLater() {
        soon(FLUSH, () -> {
            saver.flush();
            flushLater();
        });
    }

    /** There may be room for more events. */
    void hasRoom() {
        intake.hasRoom();
    }
}
