package io.varve.benchmark.report;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A table for people, in Markdown, its columns aligned. */
public record ReportTable(String title, List<String> columns, List<List<String>> rows) {

    /** All rows have a cell for each column. */
    public ReportTable {
        rows.forEach(row -> {
            if (row.size() != columns.size()) {
                throw new IllegalArgumentException("A row of " + title + " has " + row.size() + " cells: " + row);
            }
        });
    }

    @Override
    public String toString() {
        List<List<String>> lines = new ArrayList<>();
        lines.add(columns);
        lines.addAll(rows);
        int[] widths = IntStream.range(0, columns.size())
                .map(column -> lines.stream()
                        .mapToInt(line -> line.get(column).length())
                        .max()
                        .orElse(0))
                .toArray();
        StringBuilder text = new StringBuilder("### ").append(title).append("\n\n");
        text.append(line(columns, widths));
        text.append(IntStream.of(widths)
                .mapToObj(width -> "-".repeat(width + 2))
                .collect(Collectors.joining("|", "|", "|\n")));
        rows.forEach(row -> text.append(line(row, widths)));
        return text.toString();
    }

    private static String line(List<String> cells, int[] widths) {
        return IntStream.range(0, widths.length)
                .mapToObj(column -> cells.get(column)
                        + " ".repeat(widths[column] - cells.get(column).length()))
                .collect(Collectors.joining(" | ", "| ", " |\n"));
    }
}
