package io.varve.simulation;

import java.time.Duration;
import java.util.Random;

/**
 * How bad this world is; drawn from the seed, so that some runs are calm and others are not.
 *
 * @param latency what a request takes, each way, about
 * @param lostRequest the chance that a request never arrives
 * @param lostAnswer the chance that its answer never does
 * @param late the chance that a request or answer takes some seconds, longer than its sender waits
 * @param refused the chance that DynamoDB answers with an error of its own
 * @param throttled the chance that it throttles
 * @param conflict the chance that a transaction meets another
 * @param unprocessed the chance that an item of a batch comes back
 * @param torn the chance that a page takes its time, item by item
 * @param indexLag how far indexes are behind, about
 */
record Faults(
        Duration latency,
        double lostRequest,
        double lostAnswer,
        double late,
        double refused,
        double throttled,
        double conflict,
        double unprocessed,
        double torn,
        Duration indexLag) {

    static Faults none() {
        return new Faults(Duration.ofMillis(5), 0, 0, 0, 0, 0, 0, 0, 0, Duration.ofMillis(20));
    }

    static Faults drawn(Random random) {
        return new Faults(
                Duration.ofMillis(1 + random.nextInt(40)),
                chance(random, 0.03),
                chance(random, 0.03),
                chance(random, 0.03),
                chance(random, 0.03),
                chance(random, 0.1),
                chance(random, 0.1),
                chance(random, 0.3),
                chance(random, 1),
                Duration.ofMillis(random.nextInt(1_500)));
    }

    /** A third of the worlds does without one kind of fault. */
    private static double chance(Random random, double most) {
        return random.nextInt(3) == 0 ? 0 : random.nextDouble() * most;
    }
}
