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

/**
 * The evidence of a run: tables, logs of nodes and clients, what the nemesis did, what was found.
 *
 * <p>While it lasts, the tables are in memory where Linux has files for that: DynamoDB Local waits for the disk after each write, and to
 * survive the end of its process a file need not be on a disk.
 */
final class RunFolder implements AutoCloseable {
    private static final Path MEMORY = Path.of("/dev/shm");

    private final Path path;
    private final Path tables;

    private RunFolder(Path path, Path tables) {
        this.path = path;
        this.tables = tables;
    }

    /** A new one. */
    static RunFolder create(Path parent, long seed) {
        String name = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").format(LocalDateTime.now(ZoneId.systemDefault()))
                + "-seed-" + seed;
        try {
            Path path = Files.createDirectories(parent.resolve(name));
            Path tables = Files.isWritable(MEMORY)
                    ? Files.createTempDirectory(MEMORY, "varve-chaos-")
                    : path.resolve("tables");
            return new RunFolder(path, tables);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path path() {
        return path;
    }

    /** Where the tables are for now. */
    Path tables() {
        return tables;
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

    /** Removes the evidence. */
    void delete() {
        delete(tables);
        delete(path);
    }

    /** Keeps what there is, with the tables on the disk. */
    @Override
    public synchronized void close() {
        Path kept = path.resolve("tables");
        if (tables.equals(kept) || !Files.exists(tables)) {
            return;
        }
        try (Stream<Path> files = Files.list(tables)) {
            Files.createDirectories(kept);
            for (Path file : files.toList()) {
                Files.copy(file, kept.resolve(file.getFileName()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        delete(tables);
    }

    private static void delete(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
