package io.varve.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The nodes that are alive. One that dies is replaced. */
final class Cluster {
    /** Shorter than the window of queries: longer pauses have a limit of their own. */
    private static final double LONGEST_STILL = 0.75;

    /** Longer than a write is tried. */
    private static final Duration LONGEST_CUT = Duration.ofSeconds(9);

    private static final Duration STILL = Duration.ofSeconds(8);

    private final World world;
    private final Network network;
    private final Shape shape;
    private final List<ServiceNode> processes = new ArrayList<>();
    private int made;

    Cluster(World world, Network network, Shape shape) {
        this.world = world;
        this.network = network;
        this.shape = shape;
        for (int i = 0; i < shape.nodes(); i++) {
            processes.add(newProcess(world.happens(Feature.SLOW_NODES)));
        }
    }

    private ServiceNode newProcess(boolean slow) {
        return new ServiceNode(world, network, new Node(world, "node" + made++, anySkew(), slow), shape);
    }

    private Duration anySkew() {
        int most = (int) Shape.MOST_SKEW.toMillis();
        return Duration.ofMillis(world.random().nextInt(2 * most) - most);
    }

    ServiceNode any() {
        return processes.get(world.random().nextInt(processes.size()));
    }

    /** One that is not this, if there are several. */
    ServiceNode other(ServiceNode process) {
        List<ServiceNode> others =
                processes.stream().filter(one -> one != process).toList();
        return others.isEmpty() ? any() : others.get(world.random().nextInt(others.size()));
    }

    void kill() {
        kill(any());
    }

    void kill(ServiceNode old) {
        old.node().die();
        processes.remove(old);
        processes.add(newProcess(world.happens(Feature.SLOW_NODES)));
    }

    void cutOff() {
        cutOff(any());
    }

    void cutOff(ServiceNode process) {
        world.met(Rare.NODE_CUT_OFF);
        process.node().cutOff(world.within(LONGEST_CUT));
    }

    void standStill() {
        standStill(any());
    }

    void standStill(ServiceNode process) {
        Duration longest = Duration.ofNanos(
                (long) (LONGEST_STILL * shape.queries().backtrackingWindow().toNanos()));
        process.node().standStill(world.about(STILL, longest));
    }

    void setClock() {
        world.met(Rare.CLOCK_SET);
        any().node().setClock(anySkew());
    }

    /** All nodes die, and there is a new one instead. */
    void renew() {
        processes.forEach(process -> process.node().die());
        processes.clear();
        processes.add(newProcess(false));
    }
}
