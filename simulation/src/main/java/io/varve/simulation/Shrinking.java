package io.varve.simulation;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a world needs to break a promise. Features are left out one after another, and stay out if a promise is still broken; another
 * promise, too, because what is left out changes all that follows.
 *
 * @param needed the features that are left, and how often they happen
 * @param without those that are not needed
 * @param promise the promise that is broken then
 */
record Shrinking(List<String> needed, Set<Feature> without, String promise) {

    /** Of a world, if it breaks a promise at all. */
    static Optional<Shrinking> of(long seed, Set<Feature> without) {
        Optional<String> promise = broken(seed, without);
        if (promise.isEmpty()) {
            return Optional.empty();
        }
        Set<Feature> out = copy(without);
        boolean changed = true;
        while (changed) {
            changed = false;
            for (Feature feature : Feature.values()) {
                Set<Feature> fewer = copy(out);
                if (fewer.add(feature)) {
                    Optional<String> still = broken(seed, fewer);
                    if (still.isPresent()) {
                        promise = still;
                        out = fewer;
                        changed = true;
                    }
                }
            }
        }
        Mix mix = new World(seed, out, false).mix();
        return Optional.of(new Shrinking(mix.features().map(mix::described).toList(), out, promise.orElseThrow()));
    }

    private static Set<Feature> copy(Set<Feature> features) {
        return features.isEmpty() ? EnumSet.noneOf(Feature.class) : EnumSet.copyOf(features);
    }

    private static Optional<String> broken(long seed, Set<Feature> without) {
        try {
            new Simulation(seed, without, false).run();
            return Optional.empty();
        } catch (BrokenPromise e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /** As it is given on the command line. */
    static String option(Set<Feature> without) {
        return without.isEmpty()
                ? ""
                : " --without "
                        + String.join(",", without.stream().map(Feature::label).toList());
    }
}
