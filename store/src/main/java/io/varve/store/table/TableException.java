package io.varve.store.table;

import io.varve.store.VarveException;

/** A table cannot be created, or one that is there cannot be used. */
public final class TableException extends VarveException {
    private static final long serialVersionUID = 1L;

    TableException(String message) {
        super(message);
    }

    TableException(String message, Throwable cause) {
        super(message, cause);
    }
}
