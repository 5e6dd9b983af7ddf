package io.varve.projection;

import io.varve.store.VarveException;

/** The row of an entity is not what this instance takes it for, and does not say that the event is done: it must be read again. */
final class ProgressChanged extends VarveException {
    private static final long serialVersionUID = 1L;

    ProgressChanged(String message) {
        super(message);
    }
}
