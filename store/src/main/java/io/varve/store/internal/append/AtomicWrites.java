package io.varve.store.internal.append;

/** How several events are stored at once. */
public enum AtomicWrites {
    /** In transactions: fenced, at twice the capacity. */
    TRANSACTIONAL,
    /** In batches whose events say how many belong together: cheaper, not fenced against a second writer. */
    MARKED
}
