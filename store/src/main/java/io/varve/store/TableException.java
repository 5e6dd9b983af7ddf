package io.varve.store;

/** A table cannot be created, or one that is there cannot be used. */
public final class TableException extends VarveException {
    private static final long serialVersionUID = 1L;

    /** An error that says which table, and what is wrong with it. */
    public TableException(String message) {
        super(message);
    }

    /** An error with its cause. */
    public TableException(String message, Throwable cause) {
        super(message, cause);
    }
}
