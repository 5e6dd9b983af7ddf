package io.varve.testkit;

import io.varve.testkit.internal.engine.DynamoDBEngine;
import io.varve.testkit.internal.engine.PlainClient;
import io.varve.testkit.internal.engine.ProcessSignals;
import io.varve.testkit.internal.engine.StartOutput;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/**
 * DynamoDB Local in a child JVM, which ends with this one; or, where the system property {@code varve.engine} is {@code dynoxide},
 * that implementation of DynamoDB's API, which starts faster and does not end with a JVM that is killed.
 *
 * <p>A server that is paused while this JVM is killed (SIGKILL) is the exception: it ends as soon as someone resumes it.
 */
public final class DynamoDBLocal implements AutoCloseable {

    private static final Duration LONGEST_START = Duration.ofSeconds(60);

    private static @Nullable DynamoDBLocal shared;

    private final Process process;
    private final Thread endWithParent;
    private final URI endpoint;

    private DynamoDBLocal(Process process, Thread endWithParent, int port) {
        this.process = process;
        this.endWithParent = endWithParent;
        this.endpoint = URI.create("http://127.0.0.1:" + port);
    }

    /** Starts a new server that keeps its tables in memory. */
    public static DynamoDBLocal inMemory() {
        return start(DynamoDBEngine.chosen(System.getProperties()), Optional.empty());
    }

    /** Starts a new server of an engine, {@code local} or {@code dynoxide}, that keeps its tables in memory. */
    public static DynamoDBLocal inMemory(String engine) {
        Properties properties = new Properties(System.getProperties());
        properties.setProperty(DynamoDBEngine.PROPERTY, engine);
        return start(DynamoDBEngine.chosen(properties), Optional.empty());
    }

    /** Starts a new server that keeps its tables in a folder, which is created if it is missing. */
    public static DynamoDBLocal inFolder(Path folder) {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return start(DynamoDBEngine.chosen(System.getProperties()), Optional.of(folder));
    }

    /** The in-memory server that all tests of this JVM share; started by the first call, and again if someone ended it. */
    public static synchronized DynamoDBLocal shared() {
        DynamoDBLocal running = shared;
        if (running == null || !running.isRunning()) {
            running = inMemory();
            shared = running;
        }
        return running;
    }

    /**
     * Leaves the end of the server to the caller's own shutdown hook, which may need it until then. Without one it still ends with
     * this JVM.
     */
    public DynamoDBLocal endedByCaller() {
        Runtime.getRuntime().removeShutdownHook(endWithParent);
        return this;
    }

    /** Where the server listens. */
    public URI endpoint() {
        return endpoint;
    }

    /** A new client of this server with dummy credentials and without retries: one call is one request. The caller closes it. */
    public DynamoDbAsyncClient client() {
        return PlainClient.of(endpoint);
    }

    /** Whether the server's process is alive; a paused one is. */
    public boolean isRunning() {
        return process.isAlive();
    }

    /** The server's process. */
    public ProcessHandle process() {
        return process.toHandle();
    }

    /** Stops the server's process in its tracks (SIGSTOP, not on Windows): connections stay open and nothing answers. */
    public void pause() {
        ProcessSignals.pause(process.toHandle());
    }

    /** Lets a paused server go on. */
    public void resume() {
        ProcessSignals.resume(process.toHandle());
    }

    /** The id of the server's process, for who measures it. */
    public long pid() {
        return process.pid();
    }

    /** Ends the server at once, as a crash would, also while it is paused, and waits until it is gone. */
    public void kill() {
        process.destroyForcibly();
        process.onExit().join();
        try {
            Runtime.getRuntime().removeShutdownHook(endWithParent);
        } catch (IllegalStateException e) {
            // this JVM is about to end, and the hook has nothing left to do
        }
    }

    /** Ends the server; what is in its folder stays. */
    @Override
    public void close() {
        kill();
    }

    private static DynamoDBLocal start(DynamoDBEngine engine, Optional<Path> folder) {
        return start(engine, engine.command(folder), LONGEST_START);
    }

    /** Starts the child and waits for its port; a child that does not tell it in time is ended. */
    static DynamoDBLocal start(DynamoDBEngine engine, List<String> command, Duration longestStart) {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new UncheckedIOException("DynamoDB Local could not be started", e);
        }
        try {
            int port = StartOutput.of(process, engine).awaitPort(longestStart);
            Thread endWithParent = new Thread(process::destroyForcibly, "varve-dynamodb-local-end");
            Runtime.getRuntime().addShutdownHook(endWithParent);
            return new DynamoDBLocal(process, endWithParent, port);
        } catch (RuntimeException | Error e) {
            process.destroyForcibly();
            throw e;
        }
    }
}
