package io.varve.chaos.nemesis;

import io.varve.chaos.cluster.Await;
import io.varve.chaos.cluster.BankCluster;
import io.varve.chaos.cluster.NodeProcess;
import io.varve.testkit.Fault;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.ThrottleCode;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;

/** What happens to connections and clocks. */
final class NetworkFaults {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration LONGEST_REMOVAL = Duration.ofMinutes(2);

    private final BankCluster cluster;
    private final Random random;

    NetworkFaults(BankCluster cluster, Random random) {
        this.cluster = cluster;
        this.random = random;
    }

    /** Until the others have removed it, and it has found itself in the minority and ended, which takes about seven seconds. */
    void cutNodeFromNodes() throws InterruptedException {
        NodeProcess node = any();
        int before = node.starts();
        cluster.nodes().stream().filter(other -> other != node).forEach(node::cutFrom);
        boolean removed = cluster.awaitRemoved(node, LONGEST_REMOVAL)
                && Await.until(() -> node.starts() > before, LONGEST_REMOVAL);
        Thread.sleep(random.nextInt(4000));
        mend();
        if (!removed) {
            throw new Trouble("Node " + node.number() + " was cut off, and not removed by the others and itself");
        }
    }

    void cutNodeFromDatabase() throws InterruptedException {
        any().database().on(RequestMatch.any(), random.nextBoolean() ? Fault.hang() : Fault.resetBefore());
        Thread.sleep(3000 + random.nextInt(9000));
        mend();
    }

    void throttle() throws InterruptedException {
        everywhere(0.5, Fault.throttle(ThrottleCode.PROVISIONED_THROUGHPUT_EXCEEDED));
        Thread.sleep(3000 + random.nextInt(5000));
        mend();
    }

    void loseAnswers() throws InterruptedException {
        everywhere(0.2, Fault.resetAfter());
        Thread.sleep(3000 + random.nextInt(5000));
        mend();
    }

    void slowLinks() throws InterruptedException {
        NodeProcess node = any();
        node.database().on(RequestMatch.any(), Fault.delay(Duration.ofMillis(100 + random.nextInt(900))));
        node.slow(Duration.ofMillis(20 + random.nextInt(200)));
        Thread.sleep(3000 + random.nextInt(5000));
        mend();
    }

    /** It stays so until the next time, or until the node ends. */
    void skewClock() throws InterruptedException {
        NodeProcess node = any();
        String skew = Integer.toString(random.nextInt(3001) - 1500);
        try {
            node.ask("skew " + skew, PATIENCE);
        } catch (IOException e) {
            return; // it has just gone
        }
        Thread.sleep(3000);
    }

    /** Now and then a request of any node fails. */
    void makeDatabaseUnreliable() {
        everywhere(0.02, Fault.resetAfter());
        everywhere(0.02, Fault.resetBefore());
        everywhere(0.05, Fault.throttle(ThrottleCode.THROTTLING));
        everywhere(0.02, Fault.internalServerError());
        everywhere(0.1, Fault.delay(Duration.ofMillis(100 + random.nextInt(400))));
    }

    private void everywhere(double chance, Fault fault) {
        cluster.nodes().forEach(node -> node.database().on(RequestMatch.any().chance(chance), fault));
    }

    /** Everything gets through again. */
    void mend() {
        for (NodeProcess node : cluster.nodes()) {
            node.database().clear();
            node.slow(Duration.ZERO);
            node.mend();
        }
    }

    private NodeProcess any() {
        return cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    }
}
