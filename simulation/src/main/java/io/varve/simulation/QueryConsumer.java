package io.varve.simulation;

import io.varve.persistence.query.SliceOffsets;
import io.varve.store.SliceRange;
import io.varve.store.Slices;
import io.varve.store.internal.layout.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.pekko.persistence.query.NoOffset$;
import org.apache.pekko.persistence.query.Offset;

/**
 * A consumer of a query in one or several instances. It handles events at its own pace, stores an offset now and then, and starts
 * again from what is stored: on other nodes, with its slices divided anew, while old instances run on for a while.
 */
final class QueryConsumer {
    /** Which query, and what is kept of it. */
    enum Kind {
        SLICES_WITH_ONE_OFFSET,
        SLICES_WITH_AN_OFFSET_FOR_EACH,
        TAG_WITH_ONE_OFFSET,
        TAG_WITH_AN_OFFSET_FOR_EACH_SLICE;

        boolean byTag() {
            return this == TAG_WITH_ONE_OFFSET || this == TAG_WITH_AN_OFFSET_FOR_EACH_SLICE;
        }

        boolean perSlice() {
            return this == SLICES_WITH_AN_OFFSET_FOR_EACH || this == TAG_WITH_AN_OFFSET_FOR_EACH_SLICE;
        }
    }

    private static final Duration LONG_PAUSE = Duration.ofSeconds(90);

    private final World world;
    private final String name;
    private final Kind kind;
    private final String entityType;
    private final Shape shape;
    private final ConsumerTruth truth;
    private final Supplier<ServiceNode> anyProcess;
    private Duration pace;
    private final double stores;
    private double pauses;
    private final List<Instance> instances = new ArrayList<>();
    private Offset stored;

    QueryConsumer(
            World world,
            String name,
            Kind kind,
            String entityType,
            Shape shape,
            ConsumerTruth truth,
            Supplier<ServiceNode> anyProcess) {
        this.world = world;
        this.name = name;
        this.kind = kind;
        this.entityType = entityType;
        this.shape = shape;
        this.truth = truth;
        this.anyProcess = anyProcess;
        this.pace = Duration.ofMillis(world.happens(0.5) ? 0 : world.random().nextInt(800));
        this.stores = world.happens(0.5) ? 1 : 0.2;
        this.pauses = world.happens(0.3) ? 0.03 : 0;
        this.stored = kind.perSlice() ? SliceOffsets.EMPTY : NoOffset$.MODULE$;
    }

    ConsumerTruth truth() {
        return truth;
    }

    /** An instance of it, which reads a part of the slices. */
    private final class Instance {
        private final ConsumerTruth.Run check = truth.new Run();
        private final String id;
        private final QueryRun run;
        private boolean paused;

        Instance(String id, Optional<SliceRange> range) {
            this.id = id;
            this.run = new QueryRun(world, anyProcess.get(), shape.queries(), stored, range, this::handle);
        }

        private void handle(Event event, Offset offset, Runnable done) {
            Node node = run.process().node();
            boolean pause = world.happens(pauses);
            if (pause) {
                world.note(() -> name + " pauses");
            }
            long begun = world.now();
            Duration time = pause ? world.about(LONG_PAUSE) : pace.isZero() ? pace : world.about(pace);
            node.after(time, () -> {
                if (run.isOpen()) {
                    handled(event, offset);
                    tookLong(begun);
                    done.run();
                }
            });
        }

        private void handled(Event event, Offset offset) {
            String text = event.payload().bytes().asUtf8String();
            if (kind.byTag() && !event.tags().contains(Owner.TAG)) {
                return;
            }
            world.note(() -> name + id + " handles " + event.persistenceId() + " " + event.sequenceNumber());
            check.handled(event.persistenceId(), event.sequenceNumber(), text);
            if (world.happens(stores)) {
                stored = stored instanceof SliceOffsets all && offset instanceof SliceOffsets more
                        ? all.plus(more)
                        : offset;
            }
        }

        /** If it took longer than the window, a restart from now on may miss what was late. */
        private void tookLong(long begun) {
            if (world.now() - begun > Shape.WINDOW.toNanos()) {
                world.met(Rare.CONSUMER_PAUSED_FOR_LONG);
                paused = true;
            }
        }

        void close() {
            if (run.isOpen()) {
                run.close();
            }
            if (paused) {
                truth.restartedAfterALongPause(world.now());
            }
        }
    }

    /** From now on it is quick. */
    void hurry() {
        pace = Duration.ZERO;
        pauses = 0;
    }

    /** Starts all instances again, from what is stored; some of the old ones go on for a while. */
    void restart() {
        world.note(() -> name + " starts again");
        List<Instance> old = List.copyOf(instances);
        instances.clear();
        for (Instance instance : old) {
            if (kind == Kind.SLICES_WITH_AN_OFFSET_FOR_EACH && instance.run.isOpen() && world.happens(0.3)) {
                world.met(Rare.OLD_INSTANCE_OF_A_QUERY_RAN_ON);
                world.after(world.about(Duration.ofSeconds(5)), instance::close);
            } else {
                instance.close();
            }
        }
        if (kind.byTag()) {
            instances.add(new Instance("", Optional.empty()));
            return;
        }
        int border = kind.perSlice() && world.happens(0.5) ? 1 + world.random().nextInt(Slices.NUMBER - 1) : 0;
        if (border > 0) {
            instances.add(new Instance("/low", Optional.of(new SliceRange(entityType, 0, border - 1))));
        }
        instances.add(new Instance("/high", Optional.of(new SliceRange(entityType, border, Slices.NUMBER - 1))));
    }

    /** Starts again if it has ended somewhere. */
    void revive() {
        if (instances.stream().anyMatch(instance -> !instance.run.isOpen())) {
            world.met(Rare.QUERY_RESTARTED);
            restart();
        }
    }

    /** Events that were stored; half of the messages are lost. */
    void published(List<Event> events) {
        for (Instance instance : instances) {
            if (world.happens(0.5)) {
                world.after(world.about(Duration.ofMillis(30)), () -> instance.run.published(events));
            }
        }
    }
}
