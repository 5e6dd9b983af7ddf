package io.varve.store.append;

import io.varve.store.VarveException;

/** Two writers were active for one entity, and the other one was faster. */
public final class WriterConflictException extends VarveException {
    private static final long serialVersionUID = 1L;

    private final String persistenceId;
    private final long sequenceNumber;

    WriterConflictException(String persistenceId, long sequenceNumber, String ours, String theirs) {
        super("Event " + sequenceNumber + " of '" + persistenceId + "' was not written: another writer (" + theirs
                + ") has stored that sequence number before this one (" + ours
                + "). Nothing was overwritten. Two instances of"
                + " this entity were running; this one has to stop and recover. If it happens again, look for a split"
                + " brain or for an entity that is started outside of cluster sharding.");
        this.persistenceId = persistenceId;
        this.sequenceNumber = sequenceNumber;
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
