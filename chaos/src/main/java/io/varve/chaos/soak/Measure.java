package io.varve.chaos.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What is to stay flat: its average in the last quarter of a run is not much above that in the second quarter. */
enum Measure {
    /** Live objects. */
    HEAP("live heap, MB", 15),
    /** Objects of projections. */
    PROJECTIONS("objects of projections, MB", 2),
    /** Threads. */
    THREADS("threads", 8),
    /** Open connections. */
    SOCKETS("open sockets", 20);

    private static final double MOST_GROWTH = 1.25;
    private static final int FEWEST_SAMPLES = 12;

    private final String label;
    private final double slack;

    Measure(String label, double slack) {
        this.label = label;
        this.slack = slack;
    }

    String label() {
        return label;
    }

    double of(Sample sample) {
        return switch (this) {
            case HEAP -> sample.liveBytes() / 1e6;
            case PROJECTIONS -> sample.projectionBytes() / 1e6;
            case THREADS -> sample.threads();
            case SOCKETS -> sample.sockets();
        };
    }

    /** What has grown, for each node; a run with few samples says nothing. */
    static List<String> findings(List<Sample> samples) {
        List<String> findings = new ArrayList<>();
        for (int node : samples.stream().map(Sample::node).distinct().toList()) {
            List<Sample> own =
                    samples.stream().filter(sample -> sample.node() == node).toList();
            for (Measure measure : values()) {
                measure.growth(own).ifPresent(growth -> findings.add("Node " + node + ": " + growth));
            }
        }
        return findings;
    }

    private Optional<String> growth(List<Sample> samples) {
        int quarter = samples.size() / 4;
        if (samples.size() < FEWEST_SAMPLES) {
            return Optional.empty();
        }
        double before = average(samples.subList(quarter, 2 * quarter));
        double after = average(samples.subList(samples.size() - quarter, samples.size()));
        return after > before * MOST_GROWTH + slack
                ? Optional.of("%s grew from %.1f to %.1f".formatted(label, before, after))
                : Optional.empty();
    }

    private double average(List<Sample> samples) {
        return samples.stream().mapToDouble(this::of).average().orElse(0);
    }
}
