package io.varve.simulation;

import io.varve.store.Slices;
import java.util.Random;
import java.util.Set;

/** Names of entities, many of which share a slice or lie near each other. */
final class Names {
    /** How many slices are near each other. */
    static final int NEAR = 32;

    private Names() {}

    /** One that is not taken: often in this slice, else often near it. */
    static String near(String entityType, int slice, Set<String> taken, Random random) {
        int closeness = random.nextInt(10);
        while (true) {
            String name = entityType + "|" + random.nextInt(1_000_000);
            int its = Slices.of(name);
            boolean fits = closeness < 4 ? its == slice : closeness == 9 || its / NEAR == slice / NEAR;
            if (fits && !taken.contains(name)) {
                return name;
            }
        }
    }
}
