package io.varve.interop.peer;

/** What the tests can ask of the peer: the first field of a line. */
public enum Command {
    /** Starts a node: node, config. */
    OPEN,
    /** Recovers an actor: node, persistence id, upper bound, maximal number. */
    RECOVER,
    /** Persists one event: node, persistence id, payload. */
    PERSIST,
    /** Persists a batch: node, persistence id, payloads. */
    PERSIST_ALL,
    /** Persists a batch that is rejected: node, persistence id, index of the bad event, the other payloads. */
    PERSIST_ALL_REJECTED,
    /** Deletes events: node, persistence id, upper bound. */
    DELETE,
    /** Saves a snapshot: node, persistence id, sequence number, payload. */
    SAVE_SNAPSHOT,
    /** Loads the newest snapshot: node, persistence id, maximal sequence number, maximal timestamp. */
    LOAD_SNAPSHOT,
    /** Deletes one snapshot: node, persistence id, sequence number. */
    DELETE_SNAPSHOT,
    /** Deletes snapshots: node, persistence id, maximal sequence number, maximal timestamp. */
    DELETE_SNAPSHOTS,
    /** Stops an actor: node, persistence id. */
    STOP,
    /** Stops a node: node. */
    CLOSE
}
