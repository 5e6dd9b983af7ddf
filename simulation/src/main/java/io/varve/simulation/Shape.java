package io.varve.simulation;

import io.varve.simulation.Feature.Level;
import io.varve.store.internal.slice.SliceQuerySettings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * What is in a world, drawn from its seed.
 *
 * @param length how long there is trouble
 * @param nodes how many nodes there are at a time
 * @param entities how many entities live in it
 * @param sequenceShards of the journal
 * @param indexShards of the slice index
 * @param consumers how many consumers of queries there are
 * @param projections how many projections there are
 * @param writeUnits what a partition takes in a second; on AWS 1,000
 * @param queries how queries read
 */
record Shape(
        Duration length,
        int nodes,
        int entities,
        int sequenceShards,
        int indexShards,
        int consumers,
        int projections,
        int writeUnits,
        SliceQuerySettings queries) {

    /** By how much clocks may be wrong. */
    static final Duration MOST_SKEW = Duration.ofSeconds(2);

    static Shape drawn(Random random, Mix mix) {
        boolean queries = mix.level(Feature.QUERIES) != Level.OFF;
        boolean projection = mix.level(Feature.PROJECTIONS) != Level.OFF;
        boolean readers = queries || projection;
        // The times of queries are short in some worlds, so that less has to happen before something is too old.
        int scale = 1 + random.nextInt(2);
        return new Shape(
                readers
                        ? Duration.ofSeconds(30 + random.nextInt(35 * scale))
                        : Duration.ofSeconds(20 + random.nextInt(50)),
                List.of(1, 2, 2, 3).get(random.nextInt(4)),
                readers ? 1 + random.nextInt(5) : 1,
                List.of(1, 1, 2, 10).get(random.nextInt(4)),
                List.of(1, 2, 4).get(random.nextInt(3)),
                !queries ? 0 : projection ? 1 : 1 + random.nextInt(2),
                projection ? 1 : 0,
                writeUnits(mix.level(Feature.SMALL_PARTITIONS)),
                new SliceQuerySettings(
                        List.of(1, 2, 7, 100).get(random.nextInt(4)),
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(30),
                        Duration.ofMillis(100),
                        Duration.ofSeconds(5L * scale),
                        Duration.ofSeconds(20L * scale),
                        random.nextBoolean()
                                ? Optional.of(new SliceQuerySettings.Sweep(
                                        Duration.ofSeconds(10L * scale), Duration.ofSeconds(30L * scale)))
                                : Optional.empty(),
                        4,
                        5,
                        10_000));
    }

    private static int writeUnits(Level smallPartitions) {
        return switch (smallPartitions) {
            case OFF -> 1_000;
            case RARE -> 500;
            case OFTEN -> 250;
            case VERY_OFTEN -> 100;
        };
    }

    /** What the documentation says of it: the store's own word is not taken for it. */
    private Duration trustedAge() {
        return queries.sweep().map(SliceQuerySettings.Sweep::window).orElse(queries.backtrackingWindow());
    }

    /** How late an index shows an event, if not much too late: a little later than any pass looks for it. */
    Duration longestIndexLag() {
        return trustedAge().plusSeconds(5);
    }

    /** An index entry that is not later than this is found by backtracking, though clocks are wrong. */
    Duration foundIfNotLaterThan() {
        return queries.backtrackingBehind().minus(MOST_SKEW).minusMillis(100);
    }

    /** An event that is not older than this is not trusted to be in the index with all before it, though clocks are wrong. */
    Duration youngerThanTrusted() {
        return trustedAge().minus(MOST_SKEW).minusMillis(100);
    }
}
