package io.varve.benchmark;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The command line of the benchmark. */
public final class Main {
    private static final String USAGE = """
            usage: ./varve bench query [--events N]                     from persist to a live query
                   ./varve bench projection [--events N] [--latency MS]  events per second of projections
            both:  [--out DIR]
            """;

    private Main() {}

    /** Runs the measurement that the arguments name. */
    public static void main(String[] arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of(arguments));
        String commit = option(words, "--commit", "unknown");
        Path folder = Path.of(option(words, "--out", "varve-bench"));
        int events = Integer.parseInt(option(words, "--events", "1000"));
        Duration latency = Duration.ofMillis(Long.parseLong(option(words, "--latency", "5")));
        String name = words.size() == 1 ? words.get(0) : "";
        List<Report.Row> rows = switch (name) {
            case "query" -> QueryLatency.run(events);
            case "projection" -> ProjectionSpeed.run(events, latency);
            default -> List.of();
        };
        if (rows.isEmpty()) {
            System.err.print(USAGE);
            System.exit(2);
        }
        Report report = new Report(name, commit, rows);
        System.out.print(report.table());
        Files.createDirectories(folder);
        Path file = folder.resolve(name + ".json");
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
