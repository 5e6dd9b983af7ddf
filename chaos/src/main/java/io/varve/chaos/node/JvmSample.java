package io.varve.chaos.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;

/** What this JVM holds: live bytes, those of Varve's projections among them, threads and open sockets. */
final class JvmSample {
    private JvmSample() {}

    /** Live bytes, bytes of objects of {@code io.varve.projection}, threads, sockets. It collects garbage first. */
    static String take() {
        String histogram = histogram();
        return "%d %d %d %d"
                .formatted(
                        bytes(histogram, ""),
                        bytes(histogram, "io.varve.projection."),
                        ManagementFactory.getThreadMXBean().getThreadCount(),
                        sockets());
    }

    private static String histogram() {
        try {
            return (String) ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "gcClassHistogram",
                            new Object[] {new String[0]},
                            new String[] {String[].class.getName()});
        } catch (JMException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Lines like {@code 12: 345 6789 name (module)}. */
    private static long bytes(String histogram, String prefix) {
        return histogram
                .lines()
                .map(line -> line.strip().split("\\s+"))
                .filter(words -> words[0].endsWith(":") && words.length > 3 && words[3].startsWith(prefix))
                .mapToLong(words -> Long.parseLong(words[2]))
                .sum();
    }

    private static long sockets() {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(JvmSample::isSocket).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isSocket(Path file) {
        try {
            return Files.readSymbolicLink(file).toString().startsWith("socket:");
        } catch (IOException e) {
            return false; // closed meanwhile
        }
    }
}
