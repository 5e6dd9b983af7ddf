package io.varve.store.append;

import io.varve.store.VarveException;

/** An event that DynamoDB cannot hold. */
public final class EventRejectedException extends VarveException {
    private static final long serialVersionUID = 1L;

    EventRejectedException(String message) {
        super(message);
    }
}
