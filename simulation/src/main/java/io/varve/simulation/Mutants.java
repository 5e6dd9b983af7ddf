package io.varve.simulation;

import java.util.List;
import java.util.stream.Stream;

/** The faults that the simulation must find. */
final class Mutants {
    private Mutants() {}

    static List<Mutant> all() {
        return Stream.of(JournalMutants.all(), QueryMutants.all(), ProjectionMutants.all())
                .flatMap(List::stream)
                .toList();
    }

    /** A fault of the store. */
    static Mutant store(String name, String type, String before, String after, String breaks, int within) {
        return new Mutant(name, "store", type, before, after, breaks, within);
    }
}
