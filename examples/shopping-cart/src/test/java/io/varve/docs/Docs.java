package io.varve.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The repository's texts. */
final class Docs {
    static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();
    private static final Map<String, List<Path>> SOURCES = allSources();

    private Docs() {}

    static String read(String file) {
        try {
            return Files.readString(ROOT.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** README, guide, design, decisions and all others. */
    static List<Path> pages() {
        try (Stream<Path> top = Files.list(ROOT);
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(top, docs)
                    .filter(path -> path.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The files of a class of this repository, wherever they are. */
    static List<Path> sourcesOf(String className) {
        return SOURCES.getOrDefault(className + ".java", List.of());
    }

    private static Map<String, List<Path>> allSources() {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(path -> path.toString().endsWith(".java"))
                    .collect(Collectors.groupingBy(path -> path.getFileName().toString()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The texts of all Java sources in a folder. */
    static Stream<String> sources(String folder) {
        try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
            return files
                    .filter(path -> path.toString().endsWith(".java"))
                    .map(path -> read(ROOT.relativize(path).toString()))
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The code blocks of a language. */
    static List<String> blocks(String file, String language) {
        return matches("(?ms)^```" + language + "\\n(.*?)^```", read(file));
    }

    /** What the first group of a pattern matches in a text. */
    static List<String> matches(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList();
    }
}
