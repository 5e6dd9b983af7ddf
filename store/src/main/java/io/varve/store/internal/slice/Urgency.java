package io.varve.store.internal.slice;

/** How much depends on asking a shard that had nothing more to give. */
enum Urgency {
    /** Its new events are found by nothing else. */
    USUAL,
    /** New events are published, and that works: asking finds only what was not. */
    LOW,
    /** The consumer has enough to do without them. */
    NONE
}
