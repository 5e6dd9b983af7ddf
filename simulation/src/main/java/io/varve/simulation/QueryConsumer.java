package io.varve.simulation;

import io.varve.persistence.query.SliceOffsets;
import io.varve.store.SliceRange;
import io.varve.store.Slices;
import io.varve.store.internal.layout.Event;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.pekko.persistence.query.NoOffset$;
import org.apache.pekko.persistence.query.Offset;

/**
 * A consumer of a query in one or several instances. It handles events at its own pace, stores an offset now and then, and starts
 * again from what is stored: on other nodes, with its slices divided anew, while old instances run on for a while.
 */
final class QueryConsumer implements Reader {
    /** Which query, and what is kept of it. */
    enum Kind {
        SLICES_WITH_ONE_OFFSET,
        SLICES_WITH_AN_OFFSET_FOR_EACH,
        TAG_WITH_ONE_OFFSET,
        TAG_WITH_AN_OFFSET_FOR_EACH_SLICE;

        static Kind of(boolean byTag, boolean perSlice) {
            return byTag
                    ? perSlice ? TAG_WITH_AN_OFFSET_FOR_EACH_SLICE : TAG_WITH_ONE_OFFSET
                    : perSlice ? SLICES_WITH_AN_OFFSET_FOR_EACH : SLICES_WITH_ONE_OFFSET;
        }

        boolean byTag() {
            return this == TAG_WITH_ONE_OFFSET || this == TAG_WITH_AN_OFFSET_FOR_EACH_SLICE;
        }

        boolean perSlice() {
            return this == SLICES_WITH_AN_OFFSET_FOR_EACH || this == TAG_WITH_AN_OFFSET_FOR_EACH_SLICE;
        }
    }

    private static final Duration SLOW = Duration.ofMillis(700);

    private final World world;
    private final String name;
    private final Kind kind;
    private final String entityType;
    private final Shape shape;
    private final ConsumerTruth truth;
    private final Supplier<ServiceNode> anyProcess;
    private final Readers<Instance> instances;
    private boolean hurries;
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
        this.instances = new Readers<>(world, instance -> instance.run.isOpen(), Instance::close);
        this.stored = kind.perSlice() ? SliceOffsets.EMPTY : NoOffset$.MODULE$;
    }

    @Override
    public void check() {
        truth.check();
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
            boolean pause = !hurries && world.happens(Feature.LONG_HANDLER_PAUSES);
            if (pause) {
                world.note(() -> name + " pauses");
            }
            long begun = world.now();
            boolean slow = !hurries && world.happens(Feature.SLOW_HANDLERS);
            Duration time = pause ? longPause() : slow ? world.about(SLOW) : Duration.ZERO;
            node.after(time, () -> {
                if (run.isOpen()) {
                    handled(event, offset);
                    tookLong(begun);
                    done.run();
                }
            });
        }

        /** About as long as the window, and often a little longer. */
        private Duration longPause() {
            Duration window = shape.queries().backtrackingWindow();
            return window.multipliedBy(4).dividedBy(5).plus(world.within(window.dividedBy(2)));
        }

        private void handled(Event event, Offset offset) {
            String text = event.payload().bytes().asUtf8String();
            if (kind.byTag() && !event.tags().contains(Writing.TAG)) {
                return;
            }
            world.note(() -> name + id + " handles " + event.persistenceId() + " " + event.sequenceNumber());
            check.handled(event, text, world.now());
            if (hurries || !world.happens(Feature.OFFSETS_SELDOM_STORED)) {
                stored = stored instanceof SliceOffsets all && offset instanceof SliceOffsets more
                        ? all.plus(more)
                        : offset;
            }
        }

        /** If it took longer than the window, a restart from now on may miss what was late. */
        private void tookLong(long begun) {
            if (world.now() - begun > shape.queries().backtrackingWindow().toNanos()) {
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

    @Override
    public void hurry() {
        hurries = true;
    }

    @Override
    public void restart() {
        world.note(() -> name + " starts again");
        instances.replace(kind == Kind.SLICES_WITH_AN_OFFSET_FOR_EACH, Rare.OLD_INSTANCE_OF_A_QUERY_RAN_ON);
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

    @Override
    public void revive() {
        if (instances.hasEnded()) {
            world.met(Rare.QUERY_RESTARTED);
            restart();
        }
    }

    @Override
    public void published(List<Event> events) {
        instances.publish(events, (instance, message) -> instance.run.published(message));
    }
}
