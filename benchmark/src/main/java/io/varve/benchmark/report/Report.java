package io.varve.benchmark.report;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import io.varve.benchmark.command.ProgressLog;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** What was measured: tables for people, the figures behind them for programs, and pictures by file name. */
public record Report(List<ReportTable> tables, List<Map<String, Object>> figures, Map<String, SvgPlot> plots) {

    /** Nothing measured yet. */
    public static final Report EMPTY = new Report(List.of(), List.of());

    /** A report without pictures. */
    public Report(List<ReportTable> tables, List<Map<String, Object>> figures) {
        this(tables, figures, Map.of());
    }

    private static final int SIGNIFICANT_DIGITS = 3;
    private static final ObjectWriter JSON = JsonMapper.builder()
            .addModule(new SimpleModule().addSerializer(Double.class, new RoundedNumber()))
            .build()
            .writerWithDefaultPrettyPrinter();

    /** One line of a simple table: what was measured, and its figures by name. */
    public record Row(String what, Map<String, Double> figures) {

        /** The percentiles of times. */
        public static Row ofTimes(String what, List<Long> nanos) {
            Histogram times = new Histogram(SIGNIFICANT_DIGITS);
            nanos.forEach(times::recordValue);
            Map<String, Double> figures = new LinkedHashMap<>();
            figures.put("events", (double) times.getTotalCount());
            figures.put("p50 ms", times.getValueAtPercentile(50) / 1e6);
            figures.put("p99 ms", times.getValueAtPercentile(99) / 1e6);
            figures.put("max ms", times.getMaxValue() / 1e6);
            return new Row(what, figures);
        }

        /** How many events took how long. */
        public static Row ofRate(String what, int events, long nanos) {
            Map<String, Double> figures = new LinkedHashMap<>();
            figures.put("events", (double) events);
            figures.put("events/s", events * 1e9 / nanos);
            return new Row(what, figures);
        }
    }

    /** A report of one table whose rows all have the same figures. */
    public static Report of(String title, List<Row> rows) {
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
        return new Report(List.of(new ReportTable(title, columns, cells)), figures);
    }

    /** Both together. */
    public Report and(Report other) {
        List<ReportTable> allTables = new ArrayList<>(tables);
        allTables.addAll(other.tables);
        List<Map<String, Object>> allFigures = new ArrayList<>(figures);
        allFigures.addAll(other.figures);
        Map<String, SvgPlot> allPlots = new LinkedHashMap<>(plots);
        allPlots.putAll(other.plots);
        return new Report(allTables, allFigures, allPlots);
    }

    /** Shows the tables to who waits for the rest. */
    public Report shown() {
        tables.forEach(table -> ProgressLog.tell("\n{}", table));
        return this;
    }

    private static String cell(String name, double value) {
        return String.format(Locale.ROOT, name.equals("events") ? "%.0f" : value < 10 ? "%.2f" : "%.1f", value);
    }

    /** For people. */
    public String text(Circumstances circumstances) {
        StringBuilder text = new StringBuilder(circumstances.toString()).append("\n");
        tables.forEach(table -> text.append("\n").append(table));
        return text.toString();
    }

    /** For programs. */
    public String json(Circumstances circumstances) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("command", circumstances.command());
        all.put("commit", circumstances.commit());
        all.put("machine", circumstances.machine());
        all.put("figures", figures);
        try {
            return JSON.writeValueAsString(all) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("The figures cannot be written as JSON", e);
        }
    }

    /** Writes four decimals at most, and null for what is no number. */
    private static final class RoundedNumber extends JsonSerializer<Double> {
        private static final int DECIMALS = 4;

        @Override
        public void serialize(Double value, JsonGenerator json, SerializerProvider provider) throws IOException {
            if (Double.isFinite(value)) {
                BigDecimal rounded = BigDecimal.valueOf(value).setScale(DECIMALS, RoundingMode.HALF_UP);
                json.writeNumber(rounded.stripTrailingZeros().toPlainString());
            } else {
                json.writeNull();
            }
        }
    }
}
