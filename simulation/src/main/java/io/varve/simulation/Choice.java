package io.varve.simulation;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What worlds have beside what their seeds decide.
 *
 * @param with what happens very often in each of them
 * @param without what happens in none
 */
record Choice(Set<Feature> with, Set<Feature> without) {
    /** Seeds decide everything. */
    static final Choice NONE = new Choice(Set.of(), Set.of());

    private static final String COMMA = ",";

    /** One that is as good as drawn for a feature. */
    Feature.Level level(Feature feature, Feature.Level drawn) {
        return without.contains(feature)
                ? Feature.Level.OFF
                : with.contains(feature) ? Feature.Level.VERY_OFTEN : drawn;
    }

    /** The same without one more feature. */
    Choice without(Feature feature) {
        Set<Feature> more = EnumSet.of(feature);
        more.addAll(without);
        return new Choice(with, more);
    }

    /** This one, and where it differs the other one. */
    Choice changedBy(Choice other) {
        return new Choice(changed(with, other.with, other.without), changed(without, other.without, other.with));
    }

    private static Set<Feature> changed(Set<Feature> features, Set<Feature> more, Set<Feature> fewer) {
        Set<Feature> changed = EnumSet.noneOf(Feature.class);
        changed.addAll(features);
        changed.removeAll(fewer);
        changed.addAll(more);
        return changed;
    }

    /** From the command line: labels with commas between them. */
    static Choice parse(String with, String without) {
        return new Choice(features(with), features(without));
    }

    private static Set<Feature> features(String labels) {
        return Arrays.stream(labels.split(COMMA, -1))
                .filter(label -> !label.isEmpty())
                .map(Feature::of)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Feature.class)));
    }

    /** As on the command line. */
    static String labels(Set<Feature> features) {
        return features.stream().sorted().map(Feature::label).collect(Collectors.joining(COMMA));
    }

    /** The options of the command line. */
    String options() {
        return (with.isEmpty() ? "" : " --with " + labels(with))
                + (without.isEmpty() ? "" : " --without " + labels(without));
    }
}
