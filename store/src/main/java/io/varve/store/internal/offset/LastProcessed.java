package io.varve.store.internal.offset;

/** The event of an entity that was processed last; its timestamp is in microseconds. */
public record LastProcessed(String persistenceId, long sequenceNumber, long timestamp) {

    @Override
    public String toString() {
        return "event " + sequenceNumber + " of '" + persistenceId + "'";
    }
}
