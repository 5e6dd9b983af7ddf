package io.varve.store;

/** An item that is not as the storage format says. */
public final class ItemException extends VarveException {
    private static final long serialVersionUID = 1L;

    /** An error that says which item, and what is wrong with it. */
    public ItemException(String message) {
        super(message);
    }
}
