package io.varve.store.snapshot;

import io.varve.store.VarveException;

/** A snapshot beyond the configured limit. */
public final class SnapshotTooLargeException extends VarveException {
    private static final long serialVersionUID = 1L;

    SnapshotTooLargeException(String persistenceId, long sequenceNumber, long size, long limit) {
        super("The snapshot " + sequenceNumber + " of '" + persistenceId + "' has " + size
                + " bytes, and max-snapshot-size is " + limit
                + ". Nothing was stored; older snapshots are as they were. Raise the limit, turn on compression, or make"
                + " the state smaller.");
    }
}
