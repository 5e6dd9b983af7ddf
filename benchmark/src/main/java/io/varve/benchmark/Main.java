package io.varve.benchmark;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The command line of the benchmark. */
public final class Main {
    private Main() {}

    /** Runs the measurements that the arguments name. */
    public static void main(String[] arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of(arguments));
        String commit = option(words, "--commit", "unknown");
        Path folder = Path.of(option(words, "--out", "varve-bench"));
        int events = Integer.parseInt(option(words, "--events", "500"));
        if (!words.equals(List.of("query"))) {
            System.err.println("usage: ./varve bench query [--events N] [--out DIR]");
            System.exit(2);
        }
        Report report = new Report("query", commit, QueryLatency.run(events));
        System.out.print(report.table());
        Files.createDirectories(folder);
        Path file = folder.resolve("query.json");
        Files.writeString(file, report.json());
        System.out.printf(Locale.ROOT, "%nWritten to %s%n", file);
    }

    private static String option(List<String> words, String name, String otherwise) {
        int index = words.indexOf(name);
        if (index < 0 || index + 1 >= words.size()) {
            return otherwise;
        }
        words.remove(index);
        return words.remove(index);
    }
}
