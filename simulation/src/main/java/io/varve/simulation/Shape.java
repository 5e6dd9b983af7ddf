package io.varve.simulation;

import io.varve.store.internal.slice.SliceQuerySettings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * What is in a world, drawn from its seed.
 *
 * @param length how long there is trouble
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
        int entities,
        int sequenceShards,
        int indexShards,
        int consumers,
        int projections,
        int writeUnits,
        SliceQuerySettings queries) {

    /** How far backtracking stays behind the clock: an event that is later than this may be missed by a restart. */
    static final Duration BEHIND = Duration.ofSeconds(10);

    /** What a query reads again when it is restarted. */
    static final Duration WINDOW = Duration.ofSeconds(40);

    static Shape drawn(Random random) {
        return new Shape(
                Duration.ofSeconds(45 + random.nextInt(120)),
                1 + random.nextInt(3),
                List.of(1, 1, 2, 10).get(random.nextInt(4)),
                List.of(1, 2, 4).get(random.nextInt(3)),
                random.nextInt(3),
                random.nextInt(3) == 0 ? 1 : 0,
                List.of(1_000, 1_000, 300, 100).get(random.nextInt(4)),
                new SliceQuerySettings(
                        List.of(1, 2, 7, 100).get(random.nextInt(4)),
                        Duration.ofSeconds(3),
                        Duration.ofMillis(100),
                        BEHIND,
                        WINDOW,
                        random.nextBoolean()
                                ? Optional.of(
                                        new SliceQuerySettings.Sweep(Duration.ofSeconds(20), Duration.ofSeconds(60)))
                                : Optional.empty(),
                        4,
                        5,
                        10_000));
    }
}
