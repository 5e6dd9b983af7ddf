package io.varve.store;

import org.jspecify.annotations.Nullable;

/** A snapshot that is stored, but cannot be read. */
public final class SnapshotException extends VarveException {
    private static final long serialVersionUID = 1L;

    /** An error that says which snapshot, and what is wrong with it. */
    public SnapshotException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
