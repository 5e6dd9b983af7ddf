package io.varve.simulation;

import io.varve.simulation.Feature.Level;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How often what happens in a world. */
final class Mix {
    private static final List<Level> LEVELS =
            List.of(Level.OFF, Level.OFF, Level.OFF, Level.RARE, Level.OFTEN, Level.OFTEN, Level.VERY_OFTEN);

    private final Map<Feature, Level> levels = new EnumMap<>(Feature.class);

    private Mix() {}

    /** From a seed; what was chosen for some features changes nothing of the others. */
    static Mix drawn(Random random, Map<Feature, Random> own, Choice choice) {
        Mix mix = new Mix();
        for (Feature feature : Feature.values()) {
            Random from = feature.isDrawnByItself() ? own.getOrDefault(feature, random) : random;
            Level drawn = LEVELS.get(from.nextInt(LEVELS.size()));
            mix.levels.put(feature, choice.level(feature, drawn));
        }
        return mix;
    }

    double chance(Feature feature) {
        return feature.chance(level(feature));
    }

    Level level(Feature feature) {
        return levels.getOrDefault(feature, Level.OFF);
    }

    /** What happens at all. */
    Stream<Feature> features() {
        return levels.entrySet().stream()
                .filter(entry -> entry.getValue() != Level.OFF)
                .map(Map.Entry::getKey);
    }

    /** A feature and how often it happens. */
    String described(Feature feature) {
        return feature.label() + " "
                + level(feature).name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    @Override
    public String toString() {
        return features().map(this::described).collect(Collectors.joining(", "));
    }
}
