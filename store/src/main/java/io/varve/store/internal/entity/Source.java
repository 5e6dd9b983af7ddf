package io.varve.store.internal.entity;

/** Where a listing of entities comes from. */
public sealed interface Source {

    /** The index {@code pid-idx}: one entry for each entity that Varve has written the first event of. */
    record Index() implements Source {}

    /**
     * The predecessors' index of events with {@code num} = 1, with or without {@code par} as its sort key: the entities whose
     * first event is there.
     */
    record PredecessorIndex(String name) implements Source {
        /** The name that the predecessors' configuration begins with. */
        public static final String DEFAULT_NAME = "persistence-ids-idx";
    }

    /** The whole table, read in segments at once: all entities, whoever wrote them, at the price of the whole table. */
    record Scan(int segments) implements Source {
        /** How many segments are read at once if nothing else is said. */
        public static final int DEFAULT_SEGMENTS = 4;

        private static final int MAX_SEGMENTS = 1_000;

        /** At least one segment. */
        public Scan {
            if (segments < 1 || segments > MAX_SEGMENTS) {
                throw new IllegalArgumentException(
                        "is " + segments + ", but must be a number of segments from 1 to " + MAX_SEGMENTS);
            }
        }
    }
}
