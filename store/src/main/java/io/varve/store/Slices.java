package io.varve.store;

/** The 1024 slices over which entities are spread, by Pekko's rule, so that each persistence id has one slice everywhere. */
public final class Slices {
    /** How many slices there are. */
    public static final int NUMBER = 1024;

    private static final char ENTITY_TYPE_SEPARATOR = '|';

    private Slices() {}

    /** The slice of a persistence id. */
    public static int of(String persistenceId) {
        return Math.abs(persistenceId.hashCode() % NUMBER);
    }

    /** The entity type that a persistence id begins with; empty where it has none. */
    public static String entityType(String persistenceId) {
        int separator = persistenceId.indexOf(ENTITY_TYPE_SEPARATOR);
        return separator < 0 ? "" : persistenceId.substring(0, separator);
    }

    /** The number itself if it can be the number of index shards; else an exception that says which can. */
    public static int checkIndexShards(int shards) {
        if (shards < 1 || shards > NUMBER || NUMBER % shards != 0) {
            throw new IllegalArgumentException("is " + shards + ", but must be a divisor of " + NUMBER
                    + " (1, 2, 4, 8 … 512, 1024), so that each index shard holds the same number of slices");
        }
        return shards;
    }
}
