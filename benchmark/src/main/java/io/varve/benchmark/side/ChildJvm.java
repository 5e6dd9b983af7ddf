package io.varve.benchmark.side;

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
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** A JVM that this one has started and that ends with it, because its standard input does. */
public final class ChildJvm implements AutoCloseable {
    private static final long END_SECONDS = 10;

    private final String name;
    private final Process process;
    private final BufferedWriter input;
    private final BufferedReader output;

    private ChildJvm(String name, Process process) {
        this.name = name;
        this.process = process;
        this.input = process.outputWriter(StandardCharsets.UTF_8);
        this.output = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Starts a main class; what it writes to its standard error appears on ours. */
    public static ChildJvm start(
            String name, List<String> options, String classPath, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, main.getName()));
        command.addAll(List.of(arguments));
        try {
            return new ChildJvm(
                    name,
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start());
        } catch (IOException e) {
            throw new UncheckedIOException("The JVM of " + name + " could not be started", e);
        }
    }

    /** The class path of this JVM: Varve and the benchmark. */
    public static String ownClassPath() {
        return System.getProperty("java.class.path");
    }

    /** The benchmark's classes, its histograms, and Varve with its libraries as another checkout has built it. */
    static String otherClassPath(Path checkout) {
        Path list = checkout.resolve("benchmark").resolve("target").resolve("run.classpath");
        try {
            return withBenchmark(Files.readString(list));
        } catch (NoSuchFileException e) {
            throw new IllegalStateException("There is no " + list + ": run ./varve bench in that checkout first", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The benchmark's classes, its histograms and the predecessor's libraries, nothing of Varve. */
    static String peerClassPath() {
        try (InputStream file = PeerMain.class.getResourceAsStream("peer.classpath")) {
            if (file == null) {
                throw new IllegalStateException("The predecessor's class path is missing: build interop/peer first");
            }
            return withBenchmark(new String(file.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String withBenchmark(String libraries) {
        return String.join(File.pathSeparator, location(ChildJvm.class), location(Histogram.class), libraries.strip());
    }

    /** The folder or jar that a class comes from. */
    private static String location(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    void writeLine(String line) {
        try {
            input.write(line);
            input.newLine();
            input.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("The JVM of " + name + " has ended", e);
        }
    }

    /** Waits for the next line of its standard output. */
    public String readLine() {
        try {
            String line = output.readLine();
            if (line == null) {
                throw new IllegalStateException("The JVM of " + name + " has ended without an answer");
            }
            return line;
        } catch (IOException e) {
            throw new UncheckedIOException("The JVM of " + name + " cannot be heard", e);
        }
    }

    @Override
    public void close() throws InterruptedException, IOException {
        input.close();
        if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            process.waitFor();
        }
    }
}
