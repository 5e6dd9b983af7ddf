package io.varve.chaos.check;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What the clients have written down: {@code time, kind, operation} and, by kind, account and amounts, number or reason, separated by
 * tabs. An attempt that was neither acknowledged nor refused is neither success nor failure.
 */
public final class OperationLog {
    private final Map<String, Operation> operations = new LinkedHashMap<>();

    /** Reads the logs in a folder. */
    public static OperationLog read(Path folder) throws IOException {
        OperationLog log = new OperationLog();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(path -> path.getFileName().toString().startsWith("client-"))
                    .sorted()
                    .toList()) {
                Files.readAllLines(file).forEach(log::add);
            }
        }
        return log;
    }

    /** The log with these lines. */
    public static OperationLog of(List<String> lines) {
        OperationLog log = new OperationLog();
        lines.forEach(log::add);
        return log;
    }

    private void add(String line) {
        String[] words = line.split("\t", -1);
        String name = words[2];
        switch (words[1]) {
            case "INVOKE" ->
                operations
                        .computeIfAbsent(name, key -> new Operation(name, words[3], amounts(words[4])))
                        .attempted();
            case "OK" -> requireNonNull(operations.get(name), name).acknowledged(Long.parseLong(words[3]));
            case "REFUSED" -> requireNonNull(operations.get(name), name).refused();
            case "UNKNOWN" -> requireNonNull(operations.get(name), name);
            default -> throw new IllegalArgumentException("The log of a client has the line " + line);
        }
    }

    private static List<Long> amounts(String text) {
        return Arrays.stream(text.split(",", -1)).map(Long::valueOf).toList();
    }

    Map<String, Operation> byName() {
        return operations;
    }

    Collection<Operation> all() {
        return operations.values();
    }
}
