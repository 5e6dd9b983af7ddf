package io.varve.store.layout;

import io.varve.store.VarveException;

/** A persistence id that cannot be part of a key. */
public final class KeyException extends VarveException {
    private static final long serialVersionUID = 1L;

    KeyException(String message) {
        super(message);
    }
}
