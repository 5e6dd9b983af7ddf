package io.varve.chaos.nemesis;

import io.varve.chaos.cluster.BankCluster;
import io.varve.chaos.cluster.NodeProcess;
import io.varve.chaos.load.BankLoad;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Two clusters on one database, each sure that the other one is gone. Only accounts that delete nothing are written meanwhile. */
final class SplitBrain {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final BankCluster cluster;
    private final BankLoad load;
    private final Random random;
    private long writtenByBoth;

    SplitBrain(BankCluster cluster, BankLoad load, Random random) {
        this.cluster = cluster;
        this.load = load;
        this.random = random;
    }

    /** In how many cases an account was written by both sides of a split. */
    long writtenByBoth() {
        return writtenByBoth;
    }

    void run() throws InterruptedException {
        if (!load.keepingOnly(PATIENCE)) {
            throw new Trouble("Operations did not end within " + PATIENCE);
        }
        NodeProcess alone = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
        List<NodeProcess> others =
                cluster.nodes().stream().filter(node -> node != alone).toList();
        others.forEach(alone::cutFrom);
        others.forEach(other -> down(alone, other));
        down(others.get(0), alone);
        load.pace().forgetWriters();
        Thread.sleep(10_000 + random.nextInt(5000));
        writtenByBoth += load.pace().writtenByBoth(Set.of(alone.number()));
        List<NodeProcess> losers = random.nextBoolean() ? List.of(alone) : others;
        losers.forEach(NodeProcess::kill);
        cluster.nodes().forEach(NodeProcess::mend);
        losers.forEach(NodeProcess::release);
        if (!cluster.awaitWhole(PATIENCE)) {
            throw new Trouble("The cluster did not become one again after it was split");
        }
        load.pace().keepingOnly(false);
    }

    private static void down(NodeProcess node, NodeProcess other) {
        try {
            node.ask("down " + other.address(), PATIENCE);
        } catch (IOException e) {
            throw new Trouble("Node " + node.number() + " did not take an order: " + e);
        }
    }
}
