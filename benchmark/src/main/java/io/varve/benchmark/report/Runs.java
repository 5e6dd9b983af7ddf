package io.varve.benchmark.report;

import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** The figures of repeated runs. */
public record Runs(List<Double> values) {

    /** At least one run. */
    public Runs {
        values = List.copyOf(values);
        if (values.isEmpty()) {
            throw new IllegalArgumentException("There was no run");
        }
    }

    /** The figure in the middle. */
    public double median() {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    double least() {
        return values.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
    }

    double most() {
        return values.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
    }

    /** The ratios of runs that took turns. */
    public Runs to(Runs others) {
        return new Runs(IntStream.range(0, values.size())
                .mapToObj(run -> values.get(run) / others.values().get(run))
                .toList());
    }

    /** The median and, in brackets, the least and the most. */
    public String withSpread() {
        return String.format(Locale.ROOT, "%.2f (%.2f to %.2f)", median(), least(), most());
    }
}
