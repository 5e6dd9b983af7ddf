package io.varve.projection;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.cluster.sharding.typed.ShardedDaemonProcessSettings;
import org.apache.pekko.cluster.sharding.typed.javadsl.ShardedDaemonProcess;
import org.apache.pekko.projection.Projection;
import org.apache.pekko.projection.ProjectionBehavior;

/**
 * A process of the cluster that runs one of the parts into which a projection is cut. Their number can change: all parts are
 * stopped, wherever they run, before those of another number start.
 */
final class ProjectionPart extends AbstractBehavior<ProjectionPart.Command> {
    private static final int PROCESSES = 8;
    private static final Duration INTERVAL = Duration.ofMillis(20);

    private final ActorContext<Command> context;
    private final Scale scale;
    private final int number;
    private final BiFunction<Integer, Integer, Projection<?>> projections;
    private Optional<ActorRef<ProjectionBehavior.Command>> running = Optional.empty();
    private int parts;
    private boolean stopping;

    /** What it does. */
    enum Command {
        LOOK,
        STOPPED,
        STOP
    }

    /** How many parts there are to be, known to all nodes of this JVM. */
    static final class Scale {
        private final AtomicInteger running = new AtomicInteger();
        private volatile int parts;

        /** Stops the parts, and starts so many. */
        void change(int to) {
            parts = 0;
            org.awaitility.Awaitility.await()
                    .atMost(ClusterNode.PATIENCE)
                    .pollInterval(INTERVAL)
                    .until(() -> running.get() == 0);
            parts = to;
        }
    }

    private ProjectionPart(
            ActorContext<Command> context,
            Scale scale,
            int number,
            BiFunction<Integer, Integer, Projection<?>> projections) {
        super(context);
        this.context = context;
        this.scale = scale;
        this.number = number;
        this.projections = projections;
    }

    /** Takes part in running a projection, which is made for a range of slices. */
    static void init(
            ClusterNode node, String name, Scale scale, BiFunction<Integer, Integer, Projection<?>> projections) {
        ShardedDaemonProcess.get(node.system())
                .init(
                        Command.class,
                        name,
                        PROCESSES,
                        number -> behavior(scale, number, projections),
                        ShardedDaemonProcessSettings.create(node.system()),
                        Optional.of(Command.STOP));
    }

    private static Behavior<Command> behavior(
            Scale scale, int number, BiFunction<Integer, Integer, Projection<?>> projections) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> {
            timers.startTimerWithFixedDelay(Command.LOOK, INTERVAL);
            return new ProjectionPart(context, scale, number, projections);
        }));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessageEquals(Command.LOOK, this::look)
                .onMessageEquals(Command.STOPPED, this::stopped)
                .onMessageEquals(Command.STOP, this::stop)
                .onSignal(PostStop.class, signal -> {
                    running.ifPresent(part -> scale.running.decrementAndGet());
                    return this;
                })
                .build();
    }

    private Behavior<Command> look() {
        if (running.isPresent() && parts != scale.parts) {
            running.get().tell(ProjectionBehavior.stopMessage());
        } else if (running.isEmpty() && !stopping && number < scale.parts) {
            start();
        }
        return this;
    }

    private void start() {
        scale.running.incrementAndGet();
        parts = scale.parts;
        if (number >= parts) { // changed just now
            scale.running.decrementAndGet();
            return;
        }
        int size = 1024 / parts;
        ActorRef<ProjectionBehavior.Command> part = context.spawnAnonymous(
                ProjectionBehavior.create(projections.apply(number * size, number * size + size - 1)));
        context.watchWith(part, Command.STOPPED);
        running = Optional.of(part);
    }

    private Behavior<Command> stopped() {
        running = Optional.empty();
        scale.running.decrementAndGet();
        return stopping ? Behaviors.stopped() : this;
    }

    private Behavior<Command> stop() {
        stopping = true;
        running.ifPresent(part -> part.tell(ProjectionBehavior.stopMessage()));
        return running.isEmpty() ? Behaviors.stopped() : this;
    }
}
