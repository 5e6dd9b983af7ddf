package io.varve.benchmark;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What was measured, with what is needed to repeat it. */
record Report(String name, String commit, List<Row> rows) {

    /** One line: what was measured, how often, and the percentiles in milliseconds. */
    record Row(String what, int count, double median, double p99, double max) {
        static Row of(String what, List<Long> nanos) {
            List<Long> sorted = nanos.stream().sorted().toList();
            return new Row(what, sorted.size(), millis(sorted, 0.5), millis(sorted, 0.99), millis(sorted, 1));
        }

        private static double millis(List<Long> sorted, double share) {
            int index = (int) Math.ceil(share * sorted.size()) - 1;
            return sorted.get(Math.max(0, index)) / 1e6;
        }
    }

    String table() {
        StringBuilder table = new StringBuilder(machine()).append("\n\n");
        table.append(
                String.format(Locale.ROOT, "%-60s %7s %10s %10s %10s%n", "", "events", "p50 ms", "p99 ms", "max ms"));
        rows.forEach(row -> table.append(String.format(
                Locale.ROOT,
                "%-60s %7d %10.1f %10.1f %10.1f%n",
                row.what(),
                row.count(),
                row.median(),
                row.p99(),
                row.max())));
        return table.toString();
    }

    String json() {
        String lines = rows.stream()
                .map(row -> String.format(
                        Locale.ROOT,
                        "    {\"what\": \"%s\", \"events\": %d, \"p50_ms\": %.3f, \"p99_ms\": %.3f, \"max_ms\": %.3f}",
                        row.what(),
                        row.count(),
                        row.median(),
                        row.p99(),
                        row.max()))
                .collect(Collectors.joining(",\n"));
        return "{\n  \"benchmark\": \"" + name + "\",\n  \"commit\": \"" + commit + "\",\n  \"machine\": \"" + machine()
                + "\",\n  \"rows\": [\n" + lines + "\n  ]\n}\n";
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
