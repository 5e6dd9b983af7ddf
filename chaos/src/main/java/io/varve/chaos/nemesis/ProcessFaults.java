package io.varve.chaos.nemesis;

import io.varve.chaos.cluster.Await;
import io.varve.chaos.cluster.BankCluster;
import io.varve.chaos.cluster.BankDatabase;
import io.varve.chaos.cluster.NodeProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** What happens to processes. */
final class ProcessFaults {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final BankCluster cluster;
    private final BankDatabase database;
    private final Random random;
    private int instances = 4;

    ProcessFaults(BankCluster cluster, BankDatabase database, Random random) {
        this.cluster = cluster;
        this.database = database;
        this.random = random;
    }

    void killNodes() throws InterruptedException {
        List<NodeProcess> nodes = new ArrayList<>(cluster.nodes());
        Collections.shuffle(nodes, random);
        List<NodeProcess> victims = nodes.subList(0, random.nextInt(4) == 0 ? 2 : 1);
        victims.forEach(NodeProcess::kill);
        Thread.sleep(random.nextInt(3000));
        victims.forEach(NodeProcess::release);
    }

    /** Until the others have given it up, which takes about seven seconds, and a little longer. */
    void pauseNode() throws InterruptedException {
        NodeProcess node = any();
        node.pause();
        boolean removed = cluster.awaitRemoved(node, PATIENCE);
        Thread.sleep(1000 + random.nextInt(4000));
        node.resume();
        if (!removed) {
            throw new Trouble("Node " + node.number() + " was paused, and the others did not give it up");
        }
    }

    void restartDatabase() throws InterruptedException {
        database.kill();
        Thread.sleep(random.nextInt(3000));
        database.restart();
    }

    void rollingRestart() throws InterruptedException {
        for (NodeProcess node : cluster.nodes()) {
            leave(node);
            if (!cluster.awaitWhole(PATIENCE)) {
                throw new Trouble("Node " + node.number() + " did not come back after it had left");
            }
        }
    }

    void scaleProjections() throws InterruptedException {
        instances = instances == 4 ? 2 : instances == 2 ? 8 : 4;
        cluster.set("chaos.projection-instances", Integer.toString(instances));
        rollingRestart();
    }

    private static void leave(NodeProcess node) throws InterruptedException {
        int before = node.starts();
        try {
            node.ask("leave", PATIENCE);
        } catch (IOException e) {
            return; // it has gone already
        }
        if (!Await.until(() -> node.starts() > before, PATIENCE)) {
            throw new Trouble("Node " + node.number() + " was told to leave, and did not");
        }
    }

    NodeProcess any() {
        return cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    }
}
