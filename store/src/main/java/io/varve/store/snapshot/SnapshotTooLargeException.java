package io.varve.store.snapshot;

import io.varve.store.VarveException;

/** A snapshot beyond a configured limit. */
public final class SnapshotTooLargeException extends VarveException {
    private static final long serialVersionUID = 1L;

    private SnapshotTooLargeException(Snapshot snapshot, String what) {
        super("The snapshot " + snapshot.sequenceNumber() + " of '" + snapshot.persistenceId() + "' has " + what
                + ". Nothing was stored; older snapshots are as they were. Raise the limit, turn on compression, or make"
                + " the state smaller.");
    }

    /** More bytes than may be saved. */
    static SnapshotTooLargeException toSave(Snapshot snapshot, int size, long limit) {
        return new SnapshotTooLargeException(snapshot, size + " bytes, and max-snapshot-size is " + limit);
    }

    /** More bytes, before it is compressed, than could be loaded again. */
    static SnapshotTooLargeException toLoad(Snapshot snapshot, int size, int limit) {
        return new SnapshotTooLargeException(
                snapshot, size + " bytes before it is compressed, and max-loaded-size is " + limit);
    }
}
