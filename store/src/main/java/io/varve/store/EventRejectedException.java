package io.varve.store;

/** An event that DynamoDB cannot hold. */
public final class EventRejectedException extends VarveException {
    private static final long serialVersionUID = 1L;

    /** An error that says which event, and what is wrong with it. */
    public EventRejectedException(String message) {
        super(message);
    }
}
