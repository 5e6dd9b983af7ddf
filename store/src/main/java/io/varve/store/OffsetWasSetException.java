package io.varve.store;

/** Somebody has set the offset after an instance had started: it must start again, from there. */
public final class OffsetWasSetException extends VarveException {
    private static final long serialVersionUID = 1L;

    /** An error that says which projection. */
    public OffsetWasSetException(String message) {
        super(message);
    }
}
