package io.varve.simulation;

import io.varve.store.SliceRange;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.offset.OffsetSettings;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.SliceOffset;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * An exactly-once projection. One instance should run; often there are two for a while, because an old one does not know that it was
 * replaced. Now and then somebody sets its offset, to an earlier time or to now.
 */
final class SimulatedProjection {
    static final String OFFSETS = "offsets";

    private final World world;
    private final String name;
    private final SliceRange range;
    private final Shape shape;
    private final EffectTruth truth;
    private final Supplier<ServiceNode> anyProcess;
    private final List<ProjectionRun> instances = new ArrayList<>();
    private double failures;
    private boolean setting;
    private int started;

    SimulatedProjection(
            World world,
            String name,
            SliceRange range,
            Shape shape,
            EffectTruth truth,
            Supplier<ServiceNode> anyProcess) {
        this.world = world;
        this.name = name;
        this.range = range;
        this.shape = shape;
        this.truth = truth;
        this.anyProcess = anyProcess;
        this.failures = world.happens(0.5) ? 0.02 : 0;
    }

    EffectTruth truth() {
        return truth;
    }

    /** From now on its handler does not fail. */
    void hurry() {
        failures = 0;
    }

    private OffsetTable table(ServiceNode process) {
        return new OffsetTable(
                process.gateway(),
                OFFSETS,
                name,
                OffsetSettings.DEFAULT.withEntityType(range.entityType()),
                process.node().clock());
    }

    /** Another instance starts; the old ones are stopped, or go on for a while. */
    void restart() {
        if (setting) {
            return; // whoever starts now takes rows for processed that are still to be taken back: documented
        }
        for (ProjectionRun old : List.copyOf(instances)) {
            if (old.isOpen() && world.happens(0.5)) {
                world.met(Rare.TWO_INSTANCES_OF_A_PROJECTION);
                world.after(world.about(Duration.ofSeconds(15)), old::stop);
            } else {
                old.stop();
            }
        }
        instances.clear();
        ServiceNode process = anyProcess.get();
        instances.add(
                new ProjectionRun(world, process, table(process), range, shape, name + "/" + started++, failures));
    }

    void revive() {
        if (instances.stream().noneMatch(ProjectionRun::isOpen)) {
            restart();
        }
    }

    /** Sets the offset, to a time up to two minutes ago or to now, and starts again when that is done. */
    void setOffset() {
        if (setting) {
            return;
        }
        setting = true;
        world.met(Rare.OFFSET_SET_BY_HAND);
        long back = world.happens(0.2) ? 0 : world.random().nextLong(120_000_000);
        set(Math.max(1_000_000, world.now() / 1_000 - back));
    }

    private void set(long timestamp) {
        ServiceNode process = anyProcess.get();
        long micros = Node.BEGINNING.getEpochSecond() * 1_000_000 + timestamp;
        Map<Integer, SliceOffset> places = new HashMap<>();
        for (int slice = range.min(); slice <= range.max(); slice++) {
            places.put(slice, new SliceOffset(micros, Map.of(), micros));
        }
        world.note(() -> name + " has its offset set to " + timestamp / 1e6);
        truth.setting(timestamp, world.now());
        // If the node dies there is no answer, and somebody else does it again.
        boolean[] over = new boolean[1];
        World.Task tooLate = world.after(Duration.ofSeconds(30), () -> again(over, timestamp));
        table(process).set(places).whenComplete((done, thrown) -> {
            if (thrown == null && !over[0]) {
                over[0] = true;
                tooLate.callOff();
                world.note(() -> name + " has its offset set");
                truth.set(world.now());
                setting = false;
                restart();
            }
        });
    }

    private void again(boolean[] over, long timestamp) {
        if (!over[0]) {
            over[0] = true;
            set(timestamp);
        }
    }

    void published(List<Event> events) {
        for (ProjectionRun instance : instances) {
            if (world.happens(0.5)) {
                world.after(world.about(Duration.ofMillis(30)), () -> instance.published(events));
            }
        }
    }
}
