package io.varve.store.internal.client;

import io.varve.store.VarveException;
import org.jspecify.annotations.Nullable;

/** There are no credentials to sign a request with, so that it was not sent. */
final class CredentialsException extends VarveException {
    private static final long serialVersionUID = 1L;
    private final boolean late;

    CredentialsException(String message, @Nullable Throwable cause) {
        this(message, cause, false);
    }

    private CredentialsException(String message, @Nullable Throwable cause, boolean late) {
        super(message, cause);
        this.late = late;
    }

    static CredentialsException late(@Nullable Throwable cause) {
        return new CredentialsException("the credentials did not come in time", cause, true);
    }

    /** Whether there was no time left to wait for them, which does not say what is wrong. */
    boolean isLate() {
        return late;
    }
}
