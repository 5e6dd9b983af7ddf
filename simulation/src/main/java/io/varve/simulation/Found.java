package io.varve.simulation;

import org.jspecify.annotations.Nullable;

/** A broken promise: in which world, after how many, and which. Public for the class loader of mutants only. */
public record Found(long seed, long worlds, String promise) {
    private static final String CUT = "\t";

    /** Runs worlds until a promise is broken; what was found as text, because the caller has another class of this name. */
    public static @Nullable String first(long first, long worlds, String with, String without) {
        Choice choice = Choice.parse(with, without);
        for (long i = 0; i < worlds; i++) {
            try {
                new Simulation(first + i, choice, false).run();
            } catch (BrokenPromise e) {
                return (first + i) + CUT + (i + 1) + CUT + e.getMessage();
            }
        }
        return null;
    }

    static Found parse(String text) {
        String[] parts = text.split(CUT, 3);
        return new Found(Long.parseLong(parts[0]), Long.parseLong(parts[1]), parts[2]);
    }
}
