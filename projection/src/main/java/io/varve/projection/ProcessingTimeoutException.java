package io.varve.projection;

import io.varve.store.VarveException;

/** An event was not processed by a projection in the time that a caller gave it; it still may be, later. */
public final class ProcessingTimeoutException extends VarveException {
    private static final long serialVersionUID = 1L;
    private final String projection;
    private final String persistenceId;
    private final long sequenceNumber;
    private final long reached;

    ProcessingTimeoutException(
            String message, String projection, String persistenceId, long sequenceNumber, long reached) {
        super(message);
        this.projection = projection;
        this.persistenceId = persistenceId;
        this.sequenceNumber = sequenceNumber;
        this.reached = reached;
    }

    /** The projection's name. */
    public String projection() {
        return projection;
    }

    /** Whose event it is. */
    public String persistenceId() {
        return persistenceId;
    }

    /** The event that was waited for. */
    public long sequenceNumber() {
        return sequenceNumber;
    }

    /** The last event of the entity that was processed by then, as far as the caller's node knew; 0 if none. */
    public long reached() {
        return reached;
    }
}
