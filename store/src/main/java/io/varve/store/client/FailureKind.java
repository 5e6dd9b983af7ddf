package io.varve.store.client;

/** What kind of failure a request met. */
public enum FailureKind {
    /** DynamoDB asks for fewer requests. */
    THROTTLED(true, false),
    /** DynamoDB has a fault of its own, or cannot be used now. */
    SERVER_ERROR(true, true),
    /** The connection could not be made, or broke. */
    CONNECTION(true, true),
    /** No answer within the time for one request. */
    NO_ANSWER(true, true),
    /** Another transaction holds one of the items. */
    TRANSACTION_CONFLICT(true, false),
    /** A condition of the write did not hold. */
    CONDITION(false, false),
    /** The table or index does not exist. */
    NOT_FOUND(false, false),
    /** Anything else that a retry does not mend. */
    REFUSED(false, false);

    private final boolean retryable;
    private final boolean uncertain;

    FailureKind(boolean retryable, boolean uncertain) {
        this.retryable = retryable;
        this.uncertain = uncertain;
    }

    /** Whether the same request may succeed later. */
    public boolean retryable() {
        return retryable;
    }

    /** Whether the request may have taken effect all the same. */
    public boolean uncertain() {
        return uncertain;
    }
}
