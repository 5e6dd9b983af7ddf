package io.varve.projection.internal.retry;

import io.varve.store.VarveException;

/** The row of an entity is not what this instance takes it for, and does not say that the event is done: it must be read again. */
public final class ProgressChangedException extends VarveException {
    private static final long serialVersionUID = 1L;

    public ProgressChangedException(String message) {
        super(message);
    }
}
