package io.varve.store.append;

import io.varve.store.VarveException;

/** An event that DynamoDB cannot hold. */
public final class EventRejectedException extends VarveException {
    private static final long serialVersionUID = 1L;

    private EventRejectedException(String message) {
        super(message);
    }

    static EventRejectedException tooLarge(EventItem large, int limit) {
        return new EventRejectedException("Event " + large.sequenceNumber() + " of '"
                + large.event().persistenceId() + "' is too large: its item has " + large.size() + " bytes ("
                + large.event().payload().bytes().asByteArrayUnsafe().length
                + " of them the serialized event), and the limit is " + limit
                + ". Store large data elsewhere and keep a reference in the event.");
    }
}
