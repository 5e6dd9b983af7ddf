package io.varve.benchmark;

import io.varve.benchmark.command.CommandOptions;
import io.varve.benchmark.cost.CostBench;
import io.varve.benchmark.delivery.ProjectionSpeed;
import io.varve.benchmark.delivery.QueryLatency;
import io.varve.benchmark.report.Circumstances;
import io.varve.benchmark.report.Report;
import io.varve.benchmark.report.SvgPlot;
import io.varve.benchmark.scale.ScaleBench;
import io.varve.benchmark.speed.SpeedBench;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The command line of the benchmark. */
public final class Main {
    static final String USAGE = """
            usage: ./varve bench <command> [--option value ...] [--out DIR]

              cost        requests and capacity units of each operation, beside the predecessor and the limit
              speed       events per second, CPU and memory of writes, and the time of recoveries
              scale       how recoveries, writers and projections grow, with plots
              query       how long a stored event takes to a live query
              projection  events per second, latency and requests of projections

            Options and their defaults: docs/design/performance.md
            """;

    static final Map<String, Map<String, String>> DEFAULTS = Map.of(
            "cost", CostBench.DEFAULTS,
            "speed", SpeedBench.DEFAULTS,
            "scale", ScaleBench.DEFAULTS,
            "query", Map.of("events", "1000"),
            "projection", Map.of("events", "1000", "latency", "5", "idle", "30", "paced", "500"));

    private Main() {}

    /** Runs the measurement that the arguments name. */
    public static void main(String[] arguments) throws Exception {
        try {
            run(new ArrayList<>(List.of(arguments)));
        } catch (CommandOptions.UsageException e) {
            System.err.println("./varve bench: " + e.getMessage() + "\n");
            System.err.print(USAGE);
            System.exit(2);
        }
    }

    /** As the front door calls it, with its own options in front. */
    static void run(List<String> words) throws Exception {
        String commit = takeOption(words, "--commit", "unknown");
        Path folder = Path.of(takeOption(words, "--out", "varve-bench"));
        String command = words.isEmpty() ? "" : words.get(0);
        Map<String, String> defaults = DEFAULTS.get(command);
        if (defaults == null) {
            throw new CommandOptions.UsageException(
                    command.isEmpty() ? "say what to measure" : "there is no " + command);
        }
        CommandOptions options = CommandOptions.parse(words.subList(1, words.size()), new LinkedHashMap<>(defaults));
        Report report = measure(command, options);
        Circumstances circumstances = new Circumstances(String.join(" ", words), commit);
        System.out.print(report.text(circumstances));
        Files.createDirectories(folder);
        Path file = folder.resolve(command + ".json");
        Files.writeString(file, report.json(circumstances));
        for (Map.Entry<String, SvgPlot> plot : report.plots().entrySet()) {
            Files.writeString(folder.resolve(plot.getKey()), plot.getValue().svg());
        }
        System.out.println("\nWritten to " + file);
    }

    private static Report measure(String command, CommandOptions options) throws Exception {
        return switch (command) {
            case "cost" -> new CostBench(options).run();
            case "speed" -> new SpeedBench(options).run();
            case "scale" -> new ScaleBench(options).run();
            case "query" -> QueryLatency.ofQuery(options.positive("events"));
            case "projection" ->
                ProjectionSpeed.run(
                                options.positive("events"),
                                Duration.ofMillis(options.number("latency")),
                                Duration.ofSeconds(options.positive("idle")))
                        .and(QueryLatency.ofProjections(options.positive("paced")));
            default -> throw new IllegalArgumentException(command);
        };
    }

    /** Takes an option out; the last one counts, because the front door adds its own in front. */
    private static String takeOption(List<String> words, String name, String otherwise) {
        String value = otherwise;
        for (int index = words.indexOf(name); index >= 0; index = words.indexOf(name)) {
            words.remove(index);
            if (index == words.size()) {
                throw new CommandOptions.UsageException(name + " needs a value");
            }
            value = words.remove(index);
        }
        return value;
    }
}
