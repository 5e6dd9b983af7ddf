package io.varve.projection;

import io.varve.store.VarveException;

/** What was ordered for an entity was not done, because it is not parked at that event, or not any more. */
public final class NotParkedException extends VarveException {
    private static final long serialVersionUID = 1L;

    NotParkedException(String message) {
        super(message);
    }
}
