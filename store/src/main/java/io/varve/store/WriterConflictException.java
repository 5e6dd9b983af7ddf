package io.varve.store;

/** Two writers were active for one entity, and the other one was faster. */
public final class WriterConflictException extends VarveException {
    private static final long serialVersionUID = 1L;

    private final String persistenceId;
    private final long sequenceNumber;

    private WriterConflictException(String persistenceId, long sequenceNumber, String message) {
        super(message
                + " Two instances of this entity were running; this one has to stop and recover. If it happens again,"
                + " look for a split brain or for an entity that is started outside of cluster sharding.");
        this.persistenceId = persistenceId;
        this.sequenceNumber = sequenceNumber;
    }

    /** The other writer has stored this number. */
    public static WriterConflictException taken(String persistenceId, long sequenceNumber, String ours, String theirs) {
        return new WriterConflictException(
                persistenceId,
                sequenceNumber,
                "Event " + sequenceNumber + " of '" + persistenceId + "' was not written: another writer (" + theirs
                        + ") has stored that sequence number before this one (" + ours + "). Nothing was overwritten.");
    }

    /** The other instance has removed what was stored of this write. */
    public static WriterConflictException givenUp(String persistenceId, long firstSequenceNumber, String ours) {
        return new WriterConflictException(
                persistenceId,
                firstSequenceNumber,
                "The atomic write of '" + persistenceId + "' that begins with event " + firstSequenceNumber
                        + " was not finished by its writer (" + ours
                        + "): another instance has recovered meanwhile and removed what was there of it.");
    }

    /** Another writer was here since this one has read or written, whether or not its events are still stored. */
    public static WriterConflictException overtaken(
            String persistenceId, long sequenceNumber, long last, long highest) {
        return new WriterConflictException(
                persistenceId,
                sequenceNumber,
                "Event " + sequenceNumber + " of '" + persistenceId
                        + "' was not written: another writer has stored events up to " + highest
                        + ", which may be deleted by now, while this one knew of none after " + last + ".");
    }

    /** Another writer was here while this one was storing its events, and has deleted what it had stored. */
    public static WriterConflictException overtakenMeanwhile(String persistenceId, long sequenceNumber, long highest) {
        return new WriterConflictException(
                persistenceId,
                sequenceNumber,
                "Event " + sequenceNumber + " of '" + persistenceId
                        + "' is not acknowledged, though it was written: another writer has stored events up to "
                        + highest
                        + " meanwhile, and deleted them.");
    }

    /** The entity. */
    public String persistenceId() {
        return persistenceId;
    }

    /** The first sequence number that was taken. */
    public long sequenceNumber() {
        return sequenceNumber;
    }
}
