package io.varve.store;

import org.jspecify.annotations.Nullable;

/** A request to DynamoDB that failed for good: refused, or retried until its time was spent. */
public class StoreException extends VarveException {
    private static final long serialVersionUID = 1L;

    private final FailureKind kind;
    private final boolean mayHaveTakenEffect;
    private final boolean invalid;

    /**
     * A failure of a request.
     *
     * @param invalid whether the request itself is wrong
     */
    public StoreException(
            String message, FailureKind kind, boolean mayHaveTakenEffect, boolean invalid, @Nullable Throwable cause) {
        super(message, cause);
        this.invalid = invalid;
        this.kind = kind;
        this.mayHaveTakenEffect = mayHaveTakenEffect;
    }

    /** What kind of failure the last attempt met. */
    public FailureKind kind() {
        return kind;
    }

    /** Whether an attempt stayed without an answer, so that a write may be stored although it failed here. */
    public boolean mayHaveTakenEffect() {
        return mayHaveTakenEffect;
    }

    /** Whether the request itself is wrong, so that it can never succeed; permissions, credentials and tables can be mended. */
    public boolean isInvalid() {
        return invalid;
    }
}
