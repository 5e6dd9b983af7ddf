package io.varve.store.client;

import org.jspecify.annotations.Nullable;

/** The table, or the index, does not exist. */
public final class TableMissingException extends StoreException {
    private static final long serialVersionUID = 1L;

    TableMissingException(String message, @Nullable Throwable cause) {
        super(message, FailureKind.NOT_FOUND, false, cause);
    }
}
