package io.varve.example.shoppingcart.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The nodes after the first one, each in a JVM of its own that ends with this one. */
final class FurtherNodes implements AutoCloseable {
    private static final int LONGEST_END_SECONDS = 45;

    private final List<Process> processes = new ArrayList<>();

    /** Starts nodes with these settings over those of the configuration file. */
    static FurtherNodes start(int number, Map<String, Object> settings) {
        FurtherNodes nodes = new FurtherNodes();
        try {
            for (int i = 0; i < number; i++) {
                nodes.processes.add(new ProcessBuilder(command(settings))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start());
            }
            return nodes;
        } catch (IOException e) {
            nodes.close();
            throw new UncheckedIOException("a further node could not be started", e);
        }
    }

    private static List<String> command(Map<String, Object> settings) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dcom.google.protobuf.use_unsafe_pre22_gencode"));
        settings.forEach((key, value) -> command.add("-D" + key + "=" + value));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), FurtherNode.class.getName()));
        return command;
    }

    /** Waits until all are members of the cluster, and says where they listen. */
    List<URI> addresses() {
        return processes.stream().map(FurtherNodes::address).toList();
    }

    private static URI address(Process process) {
        try {
            BufferedReader output = process.inputReader();
            String line = output.readLine();
            if (line == null) {
                throw new IllegalStateException(
                        "a further node ended before it was a member of the cluster; its errors are above");
            }
            return URI.create(line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lets all leave the cluster at the same time, and waits until they have ended. */
    @Override
    public void close() {
        try {
            for (Process process : processes) {
                if (process.isAlive()) {
                    process.getOutputStream().write('\n');
                    process.getOutputStream().close();
                }
            }
            for (Process process : processes) {
                if (!process.waitFor(LONGEST_END_SECONDS, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            processes.forEach(Process::destroyForcibly);
            Thread.currentThread().interrupt();
        }
    }
}
