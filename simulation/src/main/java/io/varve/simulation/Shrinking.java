package io.varve.simulation;

import java.util.List;
import java.util.Optional;

/**
 * What a world needs to break a promise. Features are left out one after another, and stay out if a promise is still broken; another
 * promise, too, because what is left out changes all that follows.
 *
 * @param needed the features that are left, and how often they happen
 * @param choice with which the world breaks a promise
 * @param promise the promise that is broken then
 */
record Shrinking(List<String> needed, Choice choice, String promise) {

    /** Of a world, if it breaks a promise at all. */
    static Optional<Shrinking> of(long seed, Choice choice) {
        Optional<String> promise = broken(seed, choice);
        if (promise.isEmpty()) {
            return Optional.empty();
        }
        Choice out = choice;
        boolean changed = true;
        while (changed) {
            changed = false;
            for (Feature feature : Feature.values()) {
                if (!out.without().contains(feature)) {
                    Choice fewer = out.without(feature);
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

    private static Optional<String> broken(long seed, Choice choice) {
        try {
            new Simulation(seed, choice, false).run();
            return Optional.empty();
        } catch (BrokenPromise e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }
}
