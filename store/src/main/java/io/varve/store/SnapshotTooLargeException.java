package io.varve.store;

/** A snapshot beyond a configured limit. */
public final class SnapshotTooLargeException extends VarveException {
    private static final long serialVersionUID = 1L;

    private SnapshotTooLargeException(String persistenceId, long sequenceNumber, String what) {
        super("The snapshot " + sequenceNumber + " of '" + persistenceId + "' has " + what
                + ". Nothing was stored; older snapshots are as they were. Raise the limit, turn on compression, or make"
                + " the state smaller.");
    }

    /** More bytes than may be saved. */
    public static SnapshotTooLargeException toSave(String persistenceId, long sequenceNumber, int size, long limit) {
        return new SnapshotTooLargeException(
                persistenceId, sequenceNumber, size + " bytes, and max-snapshot-size is " + limit);
    }

    /** More bytes, before it is compressed, than could be loaded again. */
    public static SnapshotTooLargeException toLoad(String persistenceId, long sequenceNumber, int size, int limit) {
        return new SnapshotTooLargeException(
                persistenceId,
                sequenceNumber,
                size + " bytes before it is compressed, and max-loaded-size is " + limit);
    }
}
