package io.varve.benchmark;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What was measured, with what is needed to repeat it. */
record Report(String name, String commit, List<Row> rows) {

    /** One line of a table: what was measured, and its figures by name. */
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

    /** For people. */
    String table() {
        StringBuilder table = new StringBuilder(machine()).append("\n\n");
        table.append(String.format(Locale.ROOT, "%-62s", ""));
        rows.get(0).figures().keySet().forEach(figure -> table.append(String.format(Locale.ROOT, " %10s", figure)));
        rows.forEach(row -> {
            table.append(String.format(Locale.ROOT, "%n%-62s", row.what()));
            row.figures()
                    .forEach((figure, value) -> table.append(
                            String.format(Locale.ROOT, figure.equals("events") ? " %10.0f" : " %10.1f", value)));
        });
        return table.append("\n").toString();
    }

    /** For programs. */
    String json() {
        String lines = rows.stream().map(Report::json).collect(Collectors.joining(",\n"));
        return "{\n  \"benchmark\": \"" + name + "\",\n  \"commit\": \"" + commit + "\",\n  \"machine\": \"" + machine()
                + "\",\n  \"rows\": [\n" + lines + "\n  ]\n}\n";
    }

    private static String json(Row row) {
        return row.figures().entrySet().stream()
                .map(figure -> String.format(Locale.ROOT, "\"%s\": %.3f", figure.getKey(), figure.getValue()))
                .collect(Collectors.joining(", ", "    {\"what\": \"" + row.what() + "\", ", "}"));
    }

    private String machine() {
        return String.format(
                Locale.ROOT,
                "commit %s, %d cores, Java %s, %s %s",
                commit,
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("java.version"),
                System.getProperty("os.name"),
                System.getProperty("os.arch"));
    }
}
