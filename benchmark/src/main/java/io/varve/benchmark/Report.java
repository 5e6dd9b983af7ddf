package io.varve.benchmark;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What was measured: tables for people, the figures behind them for programs, and pictures by file name. */
record Report(List<Table> tables, List<Map<String, Object>> figures, Map<String, SvgPlot> plots) {

    /** Nothing measured yet. */
    static final Report EMPTY = new Report(List.of(), List.of());

    Report(List<Table> tables, List<Map<String, Object>> figures) {
        this(tables, figures, Map.of());
    }

    /** One line of a simple table: what was measured, and its figures by name. */
    record Row(String what, Map<String, Double> figures) {

        /** The percentiles of times. */
        static Row ofTimes(String what, List<Long> nanos) {
            List<Long> sorted = nanos.stream().sorted().toList();
            Map<String, Double> figures = new LinkedHashMap<>();
            figures.put("events", (double) sorted.size());
            figures.put("p50 ms", millis(sorted, 0.5));
            figures.put("p99 ms", millis(sorted, 0.99));
            figures.put("max ms", millis(sorted, 1));
            return new Row(what, figures);
        }

        /** How many events took how long. */
        static Row ofRate(String what, int events, long nanos) {
            Map<String, Double> figures = new LinkedHashMap<>();
            figures.put("events", (double) events);
            figures.put("events/s", events * 1e9 / nanos);
            return new Row(what, figures);
        }

        private static double millis(List<Long> sorted, double share) {
            int index = (int) Math.ceil(share * sorted.size()) - 1;
            return sorted.get(Math.max(0, index)) / 1e6;
        }
    }

    /** A report of one table whose rows all have the same figures. */
    static Report of(String title, List<Row> rows) {
        List<String> columns = new ArrayList<>(List.of(""));
        columns.addAll(rows.get(0).figures().keySet());
        List<List<String>> cells = new ArrayList<>();
        List<Map<String, Object>> figures = new ArrayList<>();
        for (Row row : rows) {
            List<String> line = new ArrayList<>(List.of(row.what()));
            row.figures().forEach((name, value) -> line.add(cell(name, value)));
            cells.add(line);
            Map<String, Object> figure = new LinkedHashMap<>(Map.of("what", row.what()));
            figure.putAll(row.figures());
            figures.add(figure);
        }
        return new Report(List.of(new Table(title, columns, cells)), figures);
    }

    Report and(Report other) {
        List<Table> allTables = new ArrayList<>(tables);
        allTables.addAll(other.tables);
        List<Map<String, Object>> allFigures = new ArrayList<>(figures);
        allFigures.addAll(other.figures);
        Map<String, SvgPlot> allPlots = new LinkedHashMap<>(plots);
        allPlots.putAll(other.plots);
        return new Report(allTables, allFigures, allPlots);
    }

    /** Shows the tables to who waits for the rest. */
    Report shown() {
        tables.forEach(table -> Progress.tell("\n{}", table));
        return this;
    }

    private static String cell(String name, double value) {
        return String.format(Locale.ROOT, name.equals("events") ? "%.0f" : value < 10 ? "%.2f" : "%.1f", value);
    }

    /** For people. */
    String text(Circumstances circumstances) {
        StringBuilder text = new StringBuilder(circumstances.toString()).append("\n");
        tables.forEach(table -> text.append("\n").append(table));
        return text.toString();
    }

    /** For programs. */
    String json(Circumstances circumstances) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("command", circumstances.command());
        all.put("commit", circumstances.commit());
        all.put("machine", circumstances.machine());
        all.put("figures", figures);
        return Json.of(all) + "\n";
    }
}
