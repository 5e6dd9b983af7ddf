package io.varve.store.internal.client;

import io.varve.store.VarveException;
import org.jspecify.annotations.Nullable;

/** There are no credentials to sign a request with, so that it was not sent. */
final class CredentialsException extends VarveException {
    private static final long serialVersionUID = 1L;

    CredentialsException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
