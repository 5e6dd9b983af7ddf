package io.varve.testkit.internal.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Stops a process in its tracks and lets it go on, with Unix signals. */
public final class ProcessSignals {
    private ProcessSignals() {}

    /** Sends SIGSTOP, and waits until all threads have stopped. */
    public static void pause(ProcessHandle process) {
        send("STOP", process);
        awaitStopped(process);
    }

    /** Sends SIGCONT. */
    public static void resume(ProcessHandle process) {
        send("CONT", process);
    }

    /** The signal reaches the threads one by one, and one that has not heard of it yet may still answer. */
    private static void awaitStopped(ProcessHandle process) {
        Path threads = Path.of("/proc", Long.toString(process.pid()), "task");
        while (Files.isDirectory(threads) && process.isAlive() && !areStopped(threads)) {
            Thread.onSpinWait();
        }
    }

    private static boolean areStopped(Path threads) {
        try (Stream<Path> each = Files.list(threads)) {
            return each.allMatch(ProcessSignals::isStopped);
        } catch (IOException e) {
            return true; // the process has gone
        }
    }

    private static boolean isStopped(Path thread) {
        try {
            String status = Files.readString(thread.resolve("stat"));
            return status.substring(status.lastIndexOf(')') + 2).startsWith("T");
        } catch (IOException e) {
            return true; // the thread has gone
        }
    }

    private static void send(String name, ProcessHandle process) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .redirectErrorStream(true)
                    .start();
            String output = new String(kill.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (kill.waitFor() != 0) {
                throw new IllegalStateException(
                        "Signal %s to process %d failed: %s".formatted(name, process.pid(), output.strip()));
            }
        } catch (IOException e) {
            throw new UnsupportedOperationException("Pausing a process needs the Unix command 'kill'", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
