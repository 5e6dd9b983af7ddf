package io.varve.chaos.cluster;

import static java.util.Objects.requireNonNull;

import io.varve.chaos.node.NodeMain;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.internal.engine.ProcessSignals;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** A node, its way to the database and the way to it. It keeps its address over restarts. */
public final class NodeProcess implements AutoCloseable {
    private final int number;
    private final Path log;
    private final TcpLink link = new TcpLink();
    private final FaultProxy database;
    private @Nullable Process process;
    private Instant started = Instant.EPOCH;
    private volatile int clientPort;
    private volatile int starts;
    private volatile boolean heldDown;
    private volatile boolean paused;

    NodeProcess(int number, URI database, Path folder, long seed) {
        this.number = number;
        this.log = folder.resolve("node-" + number + ".log");
        this.database = FaultProxy.start(database, seed).recording(false);
        link.leadTo(new InetSocketAddress("127.0.2." + number, link.port()));
    }

    /** Its number, from 1 on. */
    public int number() {
        return number;
    }

    /** Its address in the cluster. */
    public String address() {
        return "pekko://bank@127.0.0.1:" + link.port();
    }

    /** All that it sends to the database passes here. */
    public FaultProxy database() {
        return database;
    }

    /** How often it was started. */
    public int starts() {
        return starts;
    }

    /** Starts a JVM with these settings and options over those that it has anyway; seeds are the addresses of members. */
    synchronized void start(List<String> seeds, Map<String, String> settings, List<String> options) {
        Map<String, String> all = new HashMap<>();
        String database = "pekko.persistence.dynamodb.client.local.";
        all.put(database + "enabled", "on");
        all.put(database + "host", "127.0.0.1");
        all.put(database + "port", Integer.toString(this.database.endpoint().getPort()));
        String artery = "pekko.remote.artery.";
        all.put(artery + "canonical.hostname", "127.0.0.1");
        all.put(artery + "canonical.port", Integer.toString(link.port()));
        all.put(artery + "bind.hostname", "127.0.2." + number);
        all.put(artery + "bind.port", Integer.toString(link.port()));
        all.put(artery + "advanced.tcp.outbound-client-hostname", caller().getHostAddress());
        all.put("chaos.first", Boolean.toString(seeds.isEmpty()));
        for (int i = 0; i < seeds.size(); i++) {
            all.put("pekko.cluster.seed-nodes." + i, seeds.get(i));
        }
        all.putAll(settings);
        clientPort = 0;
        paused = false;
        started = Instant.now();
        starts++;
        try {
            Process child = new ProcessBuilder(command(all, options))
                    .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            process = child;
            Thread output = new Thread(() -> awaitReady(child), "chaos-node-output");
            output.setDaemon(true);
            output.start();
        } catch (IOException e) {
            throw new UncheckedIOException("Node " + number + " could not be started", e);
        }
    }

    private static List<String> command(Map<String, String> settings, List<String> options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dcom.google.protobuf.use_unsafe_pre22_gencode"));
        command.addAll(options);
        settings.forEach((key, value) -> command.add("-D" + key + "=" + value));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), NodeMain.class.getName()));
        return command;
    }

    private void awaitReady(Process child) {
        try (BufferedReader lines = child.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("ready ")) {
                    ready(child, Integer.parseInt(line.substring("ready ".length())));
                }
            }
        } catch (IOException e) {
            // the process has ended
        }
    }

    private synchronized void ready(Process child, int port) {
        if (child.equals(process)) {
            clientPort = port;
        }
    }

    /** Where clients connect to, once it is a member of the cluster. */
    public OptionalInt clientPort() {
        int port = clientPort;
        return port == 0 || !isAlive() ? OptionalInt.empty() : OptionalInt.of(port);
    }

    /** Whether its process runs or is paused. */
    public synchronized boolean isAlive() {
        return process != null && process.isAlive();
    }

    /** For how long it has tried to become a member. */
    synchronized Duration starting() {
        return isAlive() && clientPort == 0 ? Duration.between(started, Instant.now()) : Duration.ZERO;
    }

    /** Ends it at once, and leaves it so until it may start again. */
    public synchronized void kill() {
        heldDown = true;
        end();
    }

    /** Lets it be started again. */
    public void release() {
        heldDown = false;
    }

    boolean mayStart() {
        return !heldDown;
    }

    synchronized void end() {
        if (process != null) {
            process.destroyForcibly().onExit().join();
        }
    }

    /** Stops it in its tracks. */
    public synchronized void pause() {
        if (isAlive()) {
            ProcessSignals.pause(requireNonNull(process).toHandle());
            paused = true;
        }
    }

    boolean isPaused() {
        return paused;
    }

    /** Lets it go on. */
    public synchronized void resume() {
        if (paused && isAlive()) {
            ProcessSignals.resume(requireNonNull(process).toHandle());
        }
        paused = false;
    }

    /** Cuts it from another node, in both directions. */
    public void cutFrom(NodeProcess other) {
        link.cut(other.caller());
        other.link.cut(caller());
    }

    /** Whoever calls it gets through. */
    public void mend() {
        link.mend();
    }

    /** Makes what others send to it late. */
    public void slow(Duration delay) {
        link.delay(delay);
    }

    /** The address that it calls others from. */
    private InetAddress caller() {
        try {
            return InetAddress.getByName("127.0.1." + number);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Asks it something, on a connection of its own. */
    public String ask(String line, Duration patience) throws IOException {
        OptionalInt port = clientPort();
        if (port.isEmpty()) {
            throw new IOException("Node " + number + " is not there");
        }
        try (LineClient client = new LineClient(port.getAsInt())) {
            return client.ask(line, patience);
        }
    }

    @Override
    public void close() {
        kill();
        database.close();
        link.close();
    }
}
