package io.varve.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The evidence of a run: tables, logs of nodes and clients, what the nemesis did, what was found. */
final class RunFolder {
    private final Path path;

    private RunFolder(Path path) {
        this.path = path;
    }

    /** A new one. */
    static RunFolder create(Path parent, long seed) {
        String name = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").format(LocalDateTime.now(ZoneId.systemDefault()))
                + "-seed-" + seed;
        try {
            return new RunFolder(Files.createDirectories(parent.resolve(name)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path path() {
        return path;
    }

    Path tables() {
        return path.resolve("tables");
    }

    /** Adds a line to what the nemesis did. */
    void note(String line) {
        write("nemesis.log", List.of(Instant.now() + " " + line));
    }

    void write(String file, List<String> lines) {
        try {
            Files.write(path.resolve(file), lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void delete() {
        try (Stream<Path> all = Files.walk(path)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
