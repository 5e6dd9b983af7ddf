package io.varve.store;

import org.jspecify.annotations.Nullable;

/** The table, or the index, does not exist. */
public final class TableMissingException extends StoreException {
    private static final long serialVersionUID = 1L;

    /** An error that says which table. */
    public TableMissingException(String message, @Nullable Throwable cause) {
        super(message, FailureKind.NOT_FOUND, false, false, cause);
    }
}
