package io.varve.store.offset;

import io.varve.store.VarveException;

/** Somebody has set the offset after an instance had started: it must start again, from there. */
public final class OffsetWasSetException extends VarveException {
    private static final long serialVersionUID = 1L;

    OffsetWasSetException(String message) {
        super(message);
    }
}
