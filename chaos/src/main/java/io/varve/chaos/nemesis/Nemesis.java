package io.varve.chaos.nemesis;

import io.varve.chaos.cluster.BankCluster;
import io.varve.chaos.cluster.BankDatabase;
import io.varve.chaos.load.BankLoad;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Makes faults in an order that the seed decides, each kind as often as the others, and sees that the bank works again after each. */
public final class Nemesis {
    private static final Duration LONGEST_RECOVERY = Duration.ofMinutes(10);
    private static final int OPERATIONS = 10;
    /** Where a database that fails now and then would only make an order fail that is given once. */
    private static final Set<FaultKind> WITH_A_RELIABLE_DATABASE = EnumSet.of(
            FaultKind.PAUSE_PROJECTION,
            FaultKind.REWIND_PROJECTION,
            FaultKind.ROLLING_RESTART,
            FaultKind.SCALE_PROJECTIONS);

    private final BankCluster cluster;
    private final BankLoad load;
    private final Random random;
    private final ProcessFaults processes;
    private final NetworkFaults network;
    private final ProjectionFaults projections;
    private final SplitBrain splitBrain;
    private final List<FaultKind> queue = new ArrayList<>();
    private final Map<FaultKind, Integer> survived = new EnumMap<>(FaultKind.class);

    /** The nemesis of a cluster. */
    public Nemesis(BankCluster cluster, BankDatabase database, BankLoad load, long seed) {
        this.cluster = cluster;
        this.load = load;
        this.random = new Random(seed);
        this.processes = new ProcessFaults(cluster, database, random);
        this.network = new NetworkFaults(cluster, random);
        this.projections = new ProjectionFaults(cluster, database, load, random);
        this.splitBrain = new SplitBrain(cluster, load, random);
    }

    /** What comes next. */
    public FaultKind next() {
        if (queue.isEmpty()) {
            queue.addAll(List.of(FaultKind.values()));
            Collections.shuffle(queue, random);
        }
        return queue.remove(0);
    }

    /** Makes a fault, mends it, and waits until the bank works again. */
    public void make(FaultKind kind) throws InterruptedException {
        boolean unreliable = random.nextInt(3) == 0 && !WITH_A_RELIABLE_DATABASE.contains(kind);
        if (unreliable) {
            network.makeDatabaseUnreliable();
        }
        switch (kind) {
            case KILL_NODES -> processes.killNodes();
            case PAUSE_NODE -> processes.pauseNode();
            case RESTART_DATABASE -> processes.restartDatabase();
            case CUT_NODE_FROM_NODES -> network.cutNodeFromNodes();
            case CUT_NODE_FROM_DATABASE -> network.cutNodeFromDatabase();
            case THROTTLE -> network.throttle();
            case LOSE_ANSWERS -> network.loseAnswers();
            case SLOW_LINKS -> network.slowLinks();
            case SKEW_CLOCK -> network.skewClock();
            case ROLLING_RESTART -> processes.rollingRestart();
            case SCALE_PROJECTIONS -> processes.scaleProjections();
            case PAUSE_PROJECTION -> projections.pause();
            case REWIND_PROJECTION -> projections.rewind();
            case SPLIT_BRAIN -> splitBrain.run();
        }
        network.mend();
        if (!cluster.awaitWhole(LONGEST_RECOVERY)) {
            throw new Trouble("The nodes did not become one cluster again after " + kind);
        }
        if (!load.awaitAcknowledged(OPERATIONS, LONGEST_RECOVERY)) {
            throw new Trouble("The bank did not answer any more after " + kind);
        }
        if (!load.awaitProjections(LONGEST_RECOVERY)) {
            throw new Trouble("Projections did not go on after %s: %s"
                    .formatted(kind, load.pace().missing()));
        }
        survived.merge(kind, 1, Integer::sum);
    }

    /** How often each fault was made and mended. */
    public Map<FaultKind, Integer> survived() {
        return survived;
    }

    /** How often it was tried to set each projection back. */
    public Map<String, Integer> rewinds() {
        return projections.rewinds();
    }

    /** In how many cases an account was written by both sides of a split. */
    public long writtenByBothSides() {
        return splitBrain.writtenByBoth();
    }
}
