package io.varve.chaos.cluster;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Three nodes. One that has ended is started again, unless somebody holds it down. */
public final class BankCluster implements AutoCloseable {
    private static final Duration LONGEST_START = Duration.ofSeconds(90);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final long TEND_MILLIS = 200;

    private final List<NodeProcess> nodes;
    private final List<String> options;
    private final Map<String, String> settings = new ConcurrentHashMap<>();
    private volatile @Nullable RuntimeException failure;
    private final ScheduledExecutorService tending = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "chaos-tending");
        thread.setDaemon(true);
        return thread;
    });

    /** Prepares the nodes; their logs are in the folder. */
    public BankCluster(URI database, Path folder, long seed, List<String> options) {
        this.nodes = IntStream.rangeClosed(1, 3)
                .mapToObj(number -> new NodeProcess(number, database, folder, seed + number))
                .toList();
        this.options = options;
    }

    /** The nodes, whatever state they are in. */
    public List<NodeProcess> nodes() {
        return nodes;
    }

    /** Another value for the next start of each node. */
    public void set(String setting, String value) {
        settings.put(setting, value);
    }

    /** Starts the nodes, and those that end again. */
    public void start() {
        tending.scheduleWithFixedDelay(this::tendOrFail, 0, TEND_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** A failure is told to whoever waits for the cluster: the executor keeps it to itself, and no node would be started any more. */
    private void tendOrFail() {
        try {
            tend();
        } catch (RuntimeException e) {
            failure = e;
            throw e;
        }
    }

    /** The first one alive begins a cluster; others wait until there is one that they can join. One that is paused is none of them. */
    private void tend() {
        for (NodeProcess node : nodes) {
            if (node.starting().compareTo(LONGEST_START) > 0) {
                node.end();
            }
            if (node.isAlive() || !node.mayStart()) {
                continue;
            }
            List<NodeProcess> others = nodes.stream()
                    .filter(other -> other != node && other.isAlive() && !other.isPaused())
                    .toList();
            List<String> members = others.stream()
                    .filter(other -> other.clientPort().isPresent() && other.mayStart())
                    .map(NodeProcess::address)
                    .toList();
            if (others.isEmpty() || !members.isEmpty()) {
                node.start(members, settings, options);
            }
        }
    }

    /** Waits until all nodes are one cluster; false if they do not become one. */
    public boolean awaitWhole(Duration limit) throws InterruptedException {
        return Await.until(() -> nodes.stream().allMatch(node -> sees(node, nodes.size())), limit);
    }

    /** Waits until the others have removed a node, so that they have taken over what it ran; false if they do not. */
    public boolean awaitRemoved(NodeProcess removed, Duration limit) throws InterruptedException {
        return Await.until(
                () -> nodes.stream().filter(node -> node != removed).allMatch(node -> sees(node, nodes.size() - 1)),
                limit);
    }

    /** Whether so many members are up for a node, and all of them can be reached. */
    private boolean sees(NodeProcess node, int members) {
        if (failure != null) {
            throw new IllegalStateException("Nodes are no longer started", failure);
        }
        try {
            return node.ask("members", PATIENCE).equals(members + " 0");
        } catch (IOException e) {
            return false; // not yet
        }
    }

    @Override
    public void close() {
        tending.shutdown();
        try {
            tending.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        nodes.forEach(NodeProcess::close);
    }
}
