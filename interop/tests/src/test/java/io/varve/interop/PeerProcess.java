package io.varve.interop;

import io.varve.interop.peer.Command;
import io.varve.interop.peer.JournalDriverException;
import io.varve.interop.peer.Line;
import io.varve.interop.peer.PeerMain;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The predecessor's JVM. It ends with this one, because its standard input does; what it logs is in {@code target}. */
final class PeerProcess {

    private static final long ANSWER_SECONDS = 120;
    private static final Path LOG =
            Path.of("target", "peer-" + ProcessHandle.current().pid() + ".log");

    private static @Nullable PeerProcess shared;

    private final Process process;
    private final BufferedWriter commands;
    private final BufferedReader answers;

    private PeerProcess(Process process) {
        this.process = process;
        this.commands = process.outputWriter(StandardCharsets.UTF_8);
        this.answers = process.inputReader(StandardCharsets.UTF_8);
    }

    /** The process that all tests share; started by the first call, and again if it has ended. */
    static synchronized PeerProcess shared() {
        PeerProcess running = shared;
        if (running == null || !running.process.isAlive()) {
            running = start();
            shared = running;
        }
        return running;
    }

    static PeerProcess start() {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                location() + File.pathSeparator + classPath(),
                PeerMain.class.getName());
        try {
            Files.createDirectories(LOG.toAbsolutePath().getParent());
            return new PeerProcess(new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.appendTo(LOG.toFile()))
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException("The predecessor's JVM could not be started", e);
        }
    }

    /** Sends a command and waits for its answer; fails if the peer reports a failure. */
    synchronized List<String> call(Command command, List<String> arguments) {
        List<String> fields = new ArrayList<>(List.of(command.name()));
        fields.addAll(arguments);
        List<String> answer = Line.parse(exchange(Line.of(fields)));
        if (!answer.get(0).equals(PeerMain.OK)) {
            throw new JournalDriverException("The predecessor reports: " + answer.get(1));
        }
        return answer.subList(1, answer.size());
    }

    /** Ends the process at once, as a crash would. */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** Ends the commands and waits until the process has ended by itself. */
    int endOfInput() {
        try {
            commands.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return process.onExit()
                .orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS)
                .join()
                .exitValue();
    }

    private String exchange(String command) {
        try {
            commands.write(command);
            commands.newLine();
            commands.flush();
            return CompletableFuture.supplyAsync(this::readAnswer)
                    .orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS)
                    .join();
        } catch (IOException | CompletionException e) {
            kill();
            throw new JournalDriverException("The predecessor's JVM has ended or hangs; see " + LOG, e);
        }
    }

    private String readAnswer() {
        try {
            String answer = answers.readLine();
            if (answer == null) {
                throw new IllegalStateException("end of output");
            }
            return answer;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path location() {
        try {
            return Path.of(PeerMain.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String classPath() {
        try (InputStream file = PeerMain.class.getResourceAsStream("peer.classpath")) {
            if (file == null) {
                throw new IllegalStateException(
                        "The peer's class path is missing: build the module interop/peer first");
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
