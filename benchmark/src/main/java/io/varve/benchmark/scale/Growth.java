package io.varve.benchmark.scale;

import io.varve.benchmark.report.Report;
import io.varve.benchmark.report.ReportTable;
import io.varve.benchmark.report.SvgPlot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** How figures of several sides grow with one size: a table, a plot, and the figures. */
final class Growth {
    private final String file;
    private final String title;
    private final String size;
    private final List<String> measures;
    private final List<List<String>> rows = new ArrayList<>();
    private final List<Map<String, Object>> figures = new ArrayList<>();
    private final Map<String, List<SvgPlot.Point>> lines = new LinkedHashMap<>();

    /** The first measure is the one that is plotted. */
    Growth(String file, String title, String size, List<String> measures) {
        this.file = file;
        this.title = title;
        this.size = size;
        this.measures = List.copyOf(measures);
    }

    void add(int at, String side, List<Double> values) {
        List<String> row = new ArrayList<>(List.of(Integer.toString(at), side));
        Map<String, Object> figure = new LinkedHashMap<>();
        figure.put("growth", file);
        figure.put(size, at);
        figure.put("side", side);
        for (int i = 0; i < measures.size(); i++) {
            row.add(String.format(Locale.ROOT, "%.1f", values.get(i)));
            figure.put(measures.get(i), values.get(i));
        }
        rows.add(row);
        figures.add(figure);
        lines.computeIfAbsent(side, first -> new ArrayList<>()).add(new SvgPlot.Point(at, values.get(0)));
    }

    Report report() {
        List<String> columns = new ArrayList<>(List.of(size, "side"));
        columns.addAll(measures);
        SvgPlot plot = new SvgPlot(title, size, measures.get(0), lines);
        return new Report(
                List.of(new ReportTable(title, columns, rows)), figures, Map.of("scale-" + file + ".svg", plot));
    }
}
