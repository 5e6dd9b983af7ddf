package io.varve.simulation;

import java.time.Duration;

/** What goes wrong between nodes and DynamoDB, and within it. It can be quiet for a while, and at the end it is. */
final class Faults {
    private static final Duration LATE = Duration.ofSeconds(4);
    /** No message is on its way for longer; entities that delete rely on it. */
    private static final Duration LATEST = Duration.ofSeconds(15);

    private static final Duration FAST = Duration.ofMillis(2);
    private static final Duration SLOW = Duration.ofMillis(350);
    private static final Duration INDEX_LAG = Duration.ofMillis(20);
    private static final Duration LATE_INDEX_LAG = Duration.ofMillis(2_500);
    private static final Duration TOO_LATE = Duration.ofSeconds(10);

    private final World world;
    private final Duration latency;
    private final Duration window;
    private final Duration longestIndexLag;
    private boolean quiet;
    private boolean over;

    /** @param longestIndexLag how late an index can show a change that a pass may find */
    Faults(World world, Duration window, Duration longestIndexLag) {
        this.world = world;
        this.window = window;
        this.longestIndexLag = longestIndexLag;
        this.latency = Duration.ofMillis(1 + world.random().nextInt(30));
    }

    /** From now on nothing goes wrong, or things do as often as in this world; unless they are over. */
    void quiet(boolean isQuiet) {
        this.quiet = isQuiet || over;
    }

    /** From now on nothing goes wrong any more, and everything is fast: who has much to read soon has read it. */
    void end() {
        quiet = true;
        over = true;
    }

    boolean happens(Feature feature) {
        return !quiet && world.happens(feature);
    }

    /** How long a message is on its way. */
    Duration way(Node node, boolean read) {
        if (happens(read ? Feature.READS_LATE : Feature.WRITES_LATE)) {
            return late();
        }
        return world.about(over ? FAST : node.isSlow() && !quiet ? SLOW : latency, LATEST);
    }

    Duration late() {
        return world.about(LATE, LATEST);
    }

    /** How long it takes until an index shows a change. */
    Duration indexLag() {
        if (happens(Feature.INDEX_TOO_LATE)) {
            return longestIndexLag.plus(world.within(TOO_LATE));
        }
        if (happens(Feature.INDEX_LATE_FOR_A_RESTART)) {
            return window.plus(world.within(longestIndexLag.minus(window)));
        }
        if (happens(Feature.INDEX_VERY_LATE)) {
            return world.within(longestIndexLag);
        }
        return world.about(happens(Feature.INDEX_LATE) ? LATE_INDEX_LAG : INDEX_LAG);
    }
}
