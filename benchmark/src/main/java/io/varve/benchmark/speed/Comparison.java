package io.varve.benchmark.speed;

import com.typesafe.config.Config;
import io.varve.benchmark.report.Report;
import io.varve.benchmark.report.ReportTable;
import io.varve.benchmark.report.Runs;
import io.varve.benchmark.side.MeasuredJvm;
import io.varve.benchmark.side.Side;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The figures of writes against one backend, beside each other. */
public final class Comparison {
    private final String backend;
    private final Side reference;
    private final List<String> columns;
    private final List<List<String>> rows = new ArrayList<>();
    private final List<Map<String, Object>> figures = new ArrayList<>();

    /** @param reference the side to which all others are compared */
    Comparison(String backend, Side reference) {
        this.backend = backend;
        this.reference = reference;
        this.columns = List.of(
                "entities",
                "side",
                "events/s",
                "p50 ms",
                "p99 ms",
                "CPU µs/event",
                "of it Java threads",
                "KB/event",
                "events/s to " + reference.title(),
                "CPU to " + reference.title());
    }

    void add(int entities, Map<Side, List<Config>> runsBySide) {
        runsBySide.forEach((side, runs) -> {
            List<Config> compared = runsBySide.get(reference);
            rows.add(List.of(
                    Integer.toString(entities),
                    side.title(),
                    number("%.0f", runs, "eventsPerSecond"),
                    number("%.2f", runs, "p50"),
                    number("%.2f", runs, "p99"),
                    number("%.1f", runs, "cpuMicros"),
                    number("%.1f", runs, "javaCpuMicros"),
                    String.format(Locale.ROOT, "%.1f", runs(runs, "bytes").median() / 1024),
                    ratio(runs, compared, "eventsPerSecond"),
                    ratio(runs, compared, "cpuMicros")));
            figures.add(figures(entities, side, runs));
        });
    }

    /** A side could not do it, so that there is nothing to compare. */
    void addFailure(int entities, MeasuredJvm.CommandException failure) {
        List<String> row = new ArrayList<>(
                List.of(Integer.toString(entities), failure.side().title(), "failed"));
        while (row.size() < columns.size()) {
            row.add("");
        }
        rows.add(row);
        figures.add(Map.of(
                "backend",
                backend,
                "entities",
                entities,
                "side",
                failure.side().word(),
                "failure",
                String.valueOf(failure.getMessage())));
    }

    Report report() {
        return new Report(List.of(new ReportTable(backend, columns, rows)), figures);
    }

    private Map<String, Object> figures(int entities, Side side, List<Config> runs) {
        Map<String, Object> figure = new LinkedHashMap<>();
        figure.put("backend", backend);
        figure.put("entities", entities);
        figure.put("side", side.word());
        for (String name : List.of("eventsPerSecond", "p50", "p99", "cpuMicros", "javaCpuMicros", "bytes")) {
            figure.put(name, runs(runs, name).values());
        }
        figure.put(
                "cpuMicrosByThread",
                runs.get(runs.size() - 1).getObject("cpuMicrosByThread").unwrapped());
        return figure;
    }

    private static String number(String format, List<Config> runs, String name) {
        return String.format(Locale.ROOT, format, runs(runs, name).median());
    }

    static String ratio(List<Config> runs, @Nullable List<Config> compared, String name) {
        return compared == null ? "" : runs(runs, name).to(runs(compared, name)).withSpread();
    }

    /** One figure of each run. */
    public static Runs runs(List<Config> runs, String name) {
        return new Runs(runs.stream().map(run -> run.getDouble(name)).toList());
    }
}
