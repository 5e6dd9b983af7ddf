package io.varve.simulation;

import java.util.Arrays;
import java.util.Locale;

/**
 * What may happen in a world, each at a rate of its own: none, rare, often or very often. So some worlds concentrate on a combination
 * that a world in which everything happens now and then would hardly meet.
 *
 * <p>Rates are chances: of a request, an item, a write, a start, or of a tick, which comes about every two seconds.
 */
enum Feature {
    REQUESTS_LOST(0.003, 0.02, 0.08),
    ANSWERS_LOST(0.003, 0.02, 0.08),
    READS_LATE(0.005, 0.03, 0.15),
    WRITES_LATE(0.005, 0.03, 0.12),
    SERVER_ERRORS(0.003, 0.02, 0.08),
    THROTTLING(0.01, 0.05, 0.2),
    TRANSACTION_CONFLICTS(0.01, 0.05, 0.2),
    UNPROCESSED(0.03, 0.15, 0.5),
    PAGES_TORN(0.1, 0.4, 1),
    /** Index entries that are some seconds late. */
    INDEX_LATE(0.02, 0.1, 0.4),
    /** Index entries that are later than backtracking finds. */
    INDEX_VERY_LATE(0.005, 0.03, 0.2),
    /** Partitions that take less than those of AWS. */
    SMALL_PARTITIONS(0.3, 0.6, 1),
    /** A node all of whose messages are slow. */
    SLOW_NODES(0.1, 0.3, 0.7),
    NODES_DIE(0.02, 0.06, 0.2),
    NODES_STAND_STILL(0.02, 0.06, 0.2),
    CLOCKS_SET(0.02, 0.06, 0.2),
    /** Nodes that reach nothing for some seconds, and nothing reaches them. */
    NODES_CUT_OFF(0.02, 0.06, 0.2),
    /** For some time nothing goes wrong on the way. */
    QUIET_TIMES(0.02, 0.06, 0.2),

    BATCHES(0.05, 0.2, 0.5),
    CHAINS(0.004, 0.015, 0.08),
    /** The node of an instance that writes a chain dies, stands still or is cut off meanwhile, and somebody recovers. */
    BROKEN_CHAINS(0.1, 0.4, 0.9),
    BURSTS(0.01, 0.04, 0.12),
    LONG_PAUSES(0.02, 0.08, 0.2),
    /** Writes that reach to about the end of a group of numbers. */
    GROUP_BORDERS(0.01, 0.03, 0.12),
    REJECTIONS(0.03, 0.1, 0.3),
    SNAPSHOTS(0.03, 0.1, 0.3),
    LARGE_SNAPSHOTS(0.1, 0.3, 0.6),
    /** After a snapshot, what it covers is deleted. */
    DELETES(0.2, 0.6, 1),
    /** An instance whose last act is a delete. */
    STOPS_AFTER_A_DELETE(0.05, 0.15, 0.4),
    /** Another instance of an entity that lives already. */
    SECOND_INSTANCES(0.02, 0.08, 0.25),
    /** Instances that recover and stop, as one does that only answers a question. */
    VISITS(0.05, 0.2, 0.6),
    /** Beside a burst, a pause, a chain or a write that takes long somebody recovers. */
    COMPANY(0.1, 0.4, 0.9),
    /** Somebody recovers while a snapshot is saved and events are deleted. */
    RECOVERIES_BESIDE_DELETES(0.1, 0.4, 0.9),
    /** Company that lives on, and writes. */
    TAKEOVERS(0.2, 0.5, 0.9),
    /** Recoveries that make no use of the snapshot's number. */
    NO_HINT(0.1, 0.3, 0.8),
    /** Entities that are stopped and start elsewhere. */
    MOVES(0.02, 0.06, 0.2),
    /** Entities that come later. */
    BIRTHS(0.2, 0.5, 0.9),
    /** Entities that write a little, and then never again. */
    SILENCE(0.1, 0.4, 0.8),

    /** Entities whose slices are far from those of others. */
    FAR_SLICES(0.1, 0.4, 0.9),
    /** Whether there are consumers of queries. */
    QUERIES(1, 1, 1),
    /** Consumers that ask for a tag, of all entity types. */
    TAG_QUERIES(0.2, 0.5, 0.9),
    /** Whether there is a projection. */
    PROJECTIONS(1, 1, 1),
    /** Consumers and projections that begin when there is a history. */
    LATE_STARTS(0.2, 0.5, 0.9),
    CONSUMERS_RESTART(0.02, 0.08, 0.3),
    /** Old instances go on beside their successors. */
    OLD_INSTANCES_RUN_ON(0.1, 0.4, 0.8),
    SLOW_HANDLERS(0.05, 0.3, 1),
    LONG_HANDLER_PAUSES(0.01, 0.03, 0.1),
    /** An offset is not stored after each event. */
    OFFSETS_SELDOM_STORED(0.2, 0.5, 0.8),
    /** Events are sent to the readers when they are stored. */
    PUBLISHED(0.1, 0.5, 1),
    HANDLERS_FAIL(0.005, 0.03, 0.15),
    OFFSETS_SET(0.005, 0.02, 0.08),
    /** Rows of offsets have a time to live, and expired ones are removed at some time. */
    TIME_TO_LIVE(0.02, 0.1, 0.4),
    /** A projection whose progress is stored after its handlers. */
    AT_LEAST_ONCE(0.3, 0.6, 1),
    /** A projection whose events are processed in groups. */
    GROUPS(0.3, 0.6, 1),
    /** Events that the adapter of a projection drops. */
    EVENTS_DROPPED(0.02, 0.2, 0.8),
    /** An offset is set to now, and soon to a little earlier. */
    OFFSETS_SET_BACK(0.2, 0.5, 0.9),
    /** A projection is stopped for some seconds before its offset is set. */
    STOPS_BEFORE_A_SET(0.2, 0.5, 0.9),
    /** The node of a projection dies while its handler has an event that has come very late. */
    LATE_EVENTS_BROKEN_OFF(0.1, 0.4, 0.9),
    /** Index entries that are later than any pass finds. */
    INDEX_TOO_LATE(0.005, 0.03, 0.2),
    /** Entities that share a slice with others. */
    ONE_SLICE(0.3, 0.6, 1),
    /** Index entries that are later than what a restart reads again: only a sweep finds them. */
    INDEX_LATE_FOR_A_RESTART(0.01, 0.05, 0.4),
    /** An exactly-once projection that stores what waits by one transaction. */
    GROUP_COMMIT(0.3, 0.6, 1);

    /** The last one whose rate is drawn from the sequence of the whole world. */
    private static final Feature LAST_OF_THE_WORLD = TIME_TO_LIVE;

    private final double rare;
    private final double often;
    private final double veryOften;

    Feature(double rare, double often, double veryOften) {
        this.rare = rare;
        this.often = often;
        this.veryOften = veryOften;
    }

    /** The chance at a level. */
    double chance(Level level) {
        return switch (level) {
            case OFF -> 0;
            case RARE -> rare;
            case OFTEN -> often;
            case VERY_OFTEN -> veryOften;
        };
    }

    /** Whether its rate is drawn from its own sequence, so that all else in a world is the same with and without it. */
    boolean isDrawnByItself() {
        return compareTo(LAST_OF_THE_WORLD) > 0;
    }

    /** As it is named on the command line. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Feature of(String label) {
        return Arrays.stream(values())
                .filter(feature -> feature.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no feature '" + label + "' of worlds: "
                        + String.join(
                                ", ",
                                Arrays.stream(values()).map(Feature::label).toList())
                        + " are known."));
    }

    /** How often it happens in a world. */
    enum Level {
        OFF,
        RARE,
        OFTEN,
        VERY_OFTEN
    }
}
