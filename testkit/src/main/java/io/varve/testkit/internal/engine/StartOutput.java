package io.varve.testkit.internal.engine;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What DynamoDB Local prints: kept until it tells its port, then read and forgotten, so that it never waits for a full pipe. */
public final class StartOutput {

    private final Process process;
    private final String portPrefix;
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Integer> port = new CompletableFuture<>();

    private StartOutput(Process process, String portPrefix) {
        this.process = process;
        this.portPrefix = portPrefix;
    }

    /** Starts to read. */
    public static StartOutput of(Process process, DynamoDBEngine engine) {
        StartOutput output = new StartOutput(process, engine.portPrefix());
        Thread reader = new Thread(output::read, "varve-dynamodb-local-output");
        reader.setDaemon(true);
        reader.start();
        return output;
    }

    /** Waits for the port; fails with what was printed. */
    public int awaitPort(Duration limit) {
        try {
            return port.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw failure("within " + limit.toSeconds() + " seconds", e);
        } catch (ExecutionException e) {
            throw failure("(exit code " + process.exitValue() + ")", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure("before this thread was interrupted", e);
        }
    }

    private IllegalStateException failure(String how, Throwable cause) {
        return new IllegalStateException(
                "DynamoDB Local did not start %s. It printed:%n%s"
                        .formatted(how, String.join(System.lineSeparator(), lines)),
                cause);
    }

    private void read() {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith(portPrefix)) {
                    port.complete(Integer.parseInt(line.substring(portPrefix.length())));
                } else if (!port.isDone()) {
                    lines.add(line);
                }
            }
        } catch (IOException e) {
            lines.add(e.toString());
        }
        process.onExit().join();
        port.completeExceptionally(new IllegalStateException("The process has ended"));
    }
}
