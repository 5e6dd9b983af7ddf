package io.varve.chaos.nemesis;

import java.util.Locale;

/** What can go wrong. */
public enum FaultKind {
    /** SIGKILL of one node, or of two. */
    KILL_NODES,
    /** SIGSTOP of a node for longer than the others wait for it; it goes on when they have taken over. */
    PAUSE_NODE,
    /** The database is killed and started again. */
    RESTART_DATABASE,
    /** A node does not reach the others, nor they it. */
    CUT_NODE_FROM_NODES,
    /** A node does not reach the database: connections break, or nothing answers. */
    CUT_NODE_FROM_DATABASE,
    /** The database throttles half of the requests. */
    THROTTLE,
    /** Requests are carried out, but their answers are lost. */
    LOSE_ANSWERS,
    /** A node's way to the database and to the other nodes is slow. */
    SLOW_LINKS,
    /** The clock of a node is wrong by up to a second and a half. */
    SKEW_CLOCK,
    /** Each node leaves in good order and comes back. */
    ROLLING_RESTART,
    /** A rolling restart with another number of instances of each projection. */
    SCALE_PROJECTIONS,
    /** A projection is paused and resumed. */
    PAUSE_PROJECTION,
    /** A projection is set back to the beginning. */
    REWIND_PROJECTION,
    /** The cluster is split, each side removes the other one, and both run the same accounts. */
    SPLIT_BRAIN;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
