package io.varve.example.shoppingcart;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/**
 * The command line.
 *
 * @param data the folder that keeps the tables
 */
record Options(Path data, boolean help) {
    static final String USAGE = """
            usage: ./varve demo [--data DIR]

              --data DIR    keep the tables in this folder (default: varve-data)
            """;

    /** Input that cannot be used; the message is one line for the user. */
    static final class InvalidException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        InvalidException(String message) {
            super(message);
        }
    }

    /** Reads the command line; of an option that is given twice, the last one counts. */
    static Options parse(List<String> arguments) {
        Path data = Path.of("varve-data");
        for (int i = 0; i < arguments.size(); i++) {
            switch (arguments.get(i)) {
                case "-h", "--help" -> {
                    return new Options(data, true);
                }
                case "--data" -> {
                    i++;
                    if (i == arguments.size() || arguments.get(i).isBlank()) {
                        throw new InvalidException("--data needs a folder: ./varve demo --data DIR");
                    }
                    data = path(arguments.get(i));
                }
                default ->
                    throw new InvalidException(
                            "unknown option '" + arguments.get(i) + "'; ./varve demo --help lists what there is");
            }
        }
        return new Options(data, false);
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
