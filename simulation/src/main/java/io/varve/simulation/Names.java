package io.varve.simulation;

import io.varve.store.Slices;
import java.util.Random;

/** Names of entities, many of which share a slice or lie near each other. */
final class Names {
    /** How many slices are near each other. */
    static final int NEAR = 32;

    private Names() {}

    /** A new one: often in this slice, else often near it. */
    static String near(String entityType, int slice, Random random) {
        int closeness = random.nextInt(10);
        while (true) {
            String name = entityType + "|" + random.nextInt(1_000_000);
            int its = Slices.of(name);
            if (closeness < 4 ? its == slice : closeness == 9 || its / NEAR == slice / NEAR) {
                return name;
            }
        }
    }
}
