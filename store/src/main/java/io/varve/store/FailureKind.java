package io.varve.store;

/** What kind of failure a request met. */
public enum FailureKind {
    /** DynamoDB asks for fewer requests. */
    THROTTLED(true, false),
    /** DynamoDB has a fault of its own, or cannot be used now. */
    SERVER_ERROR(true, true),
    /** It could not be sent: no connection, no credentials, no time left, or the client is closed. */
    NOT_SENT(true, false),
    /** The connection broke; with the SDK's HTTP client also: could not be made. */
    CONNECTION(true, true),
    /** No answer within the time for one request. */
    NO_ANSWER(true, true),
    /** Another transaction holds one of the items. */
    TRANSACTION_CONFLICT(true, false),
    /** A write in another region holds one of the items of a global table. */
    REPLICATION_CONFLICT(true, false),
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
