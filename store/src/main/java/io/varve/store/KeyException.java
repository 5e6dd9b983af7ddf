package io.varve.store;

/** A persistence id that cannot be part of a key. */
public final class KeyException extends VarveException {
    private static final long serialVersionUID = 1L;

    /** An error that says which id, and what is wrong with it. */
    public KeyException(String message) {
        super(message);
    }
}
