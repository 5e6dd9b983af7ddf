package io.varve.specification;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A configuration of a specification: {@code Journal-what-is-dropped.cfg} is one of {@code Journal.tla}.
 *
 * @param violated the invariant that TLC must find violated; if none, it must find no error
 * @param atLeast how many distinct states it must find, so that nothing has made the model trivial
 */
record Configuration(Path file, Optional<String> violated, long atLeast) {
    private static final Pattern EXPECTED =
            Pattern.compile("(?m)^\\\\\\* expect: (?:violation of (\\w+)|no error in at least (\\d+) states)$");

    /** All configurations of a folder. */
    static List<Configuration> in(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".cfg"))
                    .sorted()
                    .map(Configuration::read)
                    .toList();
        }
    }

    private static Configuration read(Path file) {
        try {
            Matcher expected = EXPECTED.matcher(Files.readString(file, StandardCharsets.UTF_8));
            if (!expected.find()) {
                throw new IllegalStateException(file + " does not say what is expected: it needs a line"
                        + " '\\* expect: no error in at least N states' or '\\* expect: violation of INVARIANT'.");
            }
            return new Configuration(
                    file,
                    Optional.ofNullable(expected.group(1)),
                    Optional.ofNullable(expected.group(2)).map(Long::parseLong).orElse(1L));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The name of the module that it configures. */
    String module() {
        return name().replaceFirst("-.*", "");
    }

    private String name() {
        return file.getFileName().toString().replaceFirst("\\.cfg$", "");
    }

    @Override
    public String toString() {
        return name();
    }
}
