package io.varve.simulation;

import io.varve.store.Slices;
import java.util.Random;
import java.util.Set;

/** Names of entities, many of which share a slice or lie near each other. */
final class Names {
    /** How many slices are near each other. */
    static final int NEAR = 32;

    private Names() {}

    /** One that is not taken: in the same slice or near it; or anywhere, if it is to be far. */
    static String near(String entityType, int slice, boolean same, boolean far, Set<String> taken, Random random) {
        while (true) {
            String name = entityType + "|" + random.nextInt(1_000_000);
            int its = Slices.of(name);
            boolean fits = far || (same ? its == slice : its / NEAR == slice / NEAR);
            if (fits && !taken.contains(name)) {
                return name;
            }
        }
    }
}
