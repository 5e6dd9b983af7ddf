package io.varve.example.shoppingcart.demo;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalInt;

/**
 * The command line.
 *
 * @param data the folder that keeps the tables and the mails
 * @param port where the first node listens; empty for the configured port, or any other if that is taken
 * @param nodes how many nodes the cluster has
 * @param load how many commands a second are made up and sent
 */
record DemoOptions(Path data, OptionalInt port, int nodes, int load, boolean help) {
    private static final int MOST_NODES = 9;
    private static final int MOST_LOAD = 10_000;

    static final String USAGE = """
            usage: ./varve demo [--data DIR] [--port P] [--nodes N] [--load N]

              --data DIR    keep the tables and the mails in this folder (default: varve-data)
              --port P      listen on this port, 0 for any (default: 8080, or any if that is taken)
              --nodes N     run a cluster of N nodes, each in a JVM of its own (default: 1)
              --load N      make traffic: N commands a second (default: 0)
            """;

    /** Input that cannot be used; the message is one line for the user. */
    static final class InvalidException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        InvalidException(String message) {
            super(message);
        }
    }

    /** Reads the command line; of an option that is given twice, the last one counts. */
    static DemoOptions parse(List<String> arguments) {
        DemoOptions options = new DemoOptions(Path.of("varve-data"), OptionalInt.empty(), 1, 0, false);
        Iterator<String> rest = arguments.iterator();
        while (rest.hasNext()) {
            options = options.with(rest.next(), rest);
        }
        return options;
    }

    private DemoOptions with(String option, Iterator<String> rest) {
        return switch (option) {
            case "-h", "--help" -> new DemoOptions(data, port, nodes, load, true);
            case "--data" -> new DemoOptions(path(value(option, "a folder", rest)), port, nodes, load, help);
            case "--port" -> new DemoOptions(data, OptionalInt.of(number(option, rest, 0, 65535)), nodes, load, help);
            case "--nodes" -> new DemoOptions(data, port, number(option, rest, 1, MOST_NODES), load, help);
            case "--load" -> new DemoOptions(data, port, nodes, number(option, rest, 0, MOST_LOAD), help);
            default ->
                throw new InvalidException("unknown option '" + option + "'; ./varve demo --help lists what there is");
        };
    }

    private static String value(String option, String what, Iterator<String> rest) {
        String value = rest.hasNext() ? rest.next() : "";
        if (value.isBlank()) {
            throw new InvalidException(option + " needs " + what + "; ./varve demo --help shows how");
        }
        return value;
    }

    private static int number(String option, Iterator<String> rest, int smallest, int largest) {
        String what = "a whole number from " + smallest + " to " + largest;
        String text = value(option, what, rest);
        try {
            int number = Integer.parseInt(text);
            if (number >= smallest && number <= largest) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new InvalidException(option + " needs " + what + ", not '" + text + "'");
    }

    private static Path path(String text) {
        try {
            Path path = Path.of(text);
            if (Files.exists(path) && !Files.isDirectory(path)) {
                throw new InvalidException("--data '" + text + "' is a file, but must be a folder");
            }
            return path;
        } catch (InvalidPathException e) {
            throw new InvalidException("--data '" + text + "' is not a path: " + e.getReason());
        }
    }
}
