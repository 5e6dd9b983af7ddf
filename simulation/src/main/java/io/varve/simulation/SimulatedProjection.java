package io.varve.simulation;

import io.varve.store.SliceRange;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.offset.OffsetSettings;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.SliceOffset;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A projection. One instance should run; often there are two for a while, because an old one does not know that it was
 * replaced. Now and then somebody sets its offset, to an earlier time or to now.
 */
final class SimulatedProjection implements Reader {
    static final String OFFSETS = "offsets";
    private static final Duration TIME_TO_LIVE = Duration.ofSeconds(60);

    private static final Duration SOON = Duration.ofMillis(500);
    private static final Duration BACK = Duration.ofSeconds(15);
    private static final Duration STOPPED = Duration.ofSeconds(8);
    private static final Duration HANDLING = Duration.ofMillis(3);
    private static final Duration LONGEST_STOPPED = Duration.ofSeconds(20);

    private final World world;
    private final ProjectionSetup setup;
    private final Supplier<ServiceNode> anyProcess;
    private final Readers<ProjectionRun> instances;
    private boolean hurries;
    private boolean setting;
    private boolean setsBack;
    private int started;

    SimulatedProjection(
            World world,
            String name,
            SliceRange range,
            Shape shape,
            DeliveryKind kind,
            DroppingAdapter adapter,
            EffectTruth truth,
            Cluster cluster) {
        this.world = world;
        this.setup = new ProjectionSetup(
                world,
                name,
                range,
                shape,
                kind,
                adapter,
                timeToLive(world),
                truth,
                () -> !hurries && world.happens(Feature.HANDLERS_FAIL),
                process -> lateEvent(process, cluster));
        this.anyProcess = cluster::any;
        this.instances = new Readers<>(world, ProjectionRun::isOpen, ProjectionRun::stop);
        world.note(() -> name + " delivers " + kind);
    }

    /** How long rows of entities live in a world, if not for good. */
    static Optional<Duration> timeToLive(World world) {
        return world.mix().level(Feature.TIME_TO_LIVE) == Feature.Level.OFF
                ? Optional.empty()
                : Optional.of(TIME_TO_LIVE);
    }

    /** Perhaps the node dies while it has the event. */
    private void lateEvent(ServiceNode process, Cluster cluster) {
        if (!hurries && world.happens(Feature.LATE_EVENTS_BROKEN_OFF)) {
            world.after(world.about(HANDLING), () -> {
                if (!hurries && process.node().isAlive()) {
                    cluster.kill(process);
                }
            });
        }
    }

    @Override
    public void check() {
        setup.truth().check();
    }

    @Override
    public void hurry() {
        hurries = true;
    }

    private OffsetTable table(ServiceNode process) {
        OffsetSettings settings =
                OffsetSettings.DEFAULT.withEntityType(setup.range().entityType());
        return new OffsetTable(
                process.gateway(),
                OFFSETS,
                setup.name(),
                setup.timeToLive().map(settings::withTimeToLive).orElse(settings),
                process.node().clock());
    }

    @Override
    public void restart() {
        if (setting) {
            return; // whoever starts now takes rows for processed that are still to be taken back: documented
        }
        instances.replace(true, Rare.TWO_INSTANCES_OF_A_PROJECTION);
        ServiceNode process = anyProcess.get();
        instances.add(new ProjectionRun(setup, process, table(process), setup.name() + "/" + started++));
    }

    @Override
    public void revive() {
        if (instances.hasEnded()) {
            restart();
        }
    }

    /** Sets the offset, to a time up to two minutes ago or to now, and starts again when that is done. */
    @Override
    public void setOffset() {
        if (setting || instances.open().anyMatch(ProjectionRun::isStarting)) {
            return;
        }
        setting = true;
        world.met(Rare.OFFSET_SET_BY_HAND);
        long back = world.happens(0.2) ? 0 : world.random().nextLong(120_000_000);
        setsBack = world.happens(Feature.OFFSETS_SET_BACK);
        if (world.happens(Feature.STOPS_BEFORE_A_SET)) {
            instances.replace(false, Rare.TWO_INSTANCES_OF_A_PROJECTION);
            world.after(world.about(STOPPED, LONGEST_STOPPED), () -> setTo(setsBack ? 0 : back));
        } else {
            setTo(setsBack ? 0 : back);
        }
    }

    private void setTo(long back) {
        set(Math.max(1_000_000, world.now() / 1_000 - back));
    }

    private void set(long timestamp) {
        ServiceNode process = anyProcess.get();
        long micros = Node.BEGINNING.getEpochSecond() * 1_000_000 + timestamp;
        Map<Integer, SliceOffset> places = new HashMap<>();
        for (int slice = setup.range().min(); slice <= setup.range().max(); slice++) {
            places.put(slice, new SliceOffset(micros, Map.of(), micros));
        }
        world.note(() -> setup.name() + " has its offset set to " + timestamp / 1e6);
        setup.truth().setting(timestamp, world.now());
        // If the node dies there is no answer, and somebody else does it again.
        boolean[] over = new boolean[1];
        World.Task tooLate = world.after(Duration.ofSeconds(30), () -> again(over, timestamp));
        table(process).set(places).whenComplete((done, thrown) -> {
            if (thrown == null && !over[0]) {
                over[0] = true;
                tooLate.callOff();
                world.note(() -> setup.name() + " has its offset set");
                setup.truth().set(world.now());
                setting = false;
                restart();
                if (setsBack) {
                    setsBack = false;
                    setBack(timestamp);
                }
            }
        });
    }

    /** Soon, when the instance has started that has found this offset, it is set again, to a little earlier. */
    private void setBack(long timestamp) {
        world.after(world.about(SOON), () -> {
            if (hurries || setting) {
                return;
            }
            if (instances.open().anyMatch(ProjectionRun::isStarting)) {
                setBack(timestamp);
                return;
            }
            setting = true;
            set(Math.max(1_000_000, timestamp - world.within(BACK).toNanos() / 1_000));
        });
    }

    private void again(boolean[] over, long timestamp) {
        if (!over[0]) {
            over[0] = true;
            set(timestamp);
        }
    }

    @Override
    public void published(List<Event> events) {
        instances.publish(events, ProjectionRun::published);
    }
}
