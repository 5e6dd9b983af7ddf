package io.varve.http;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A request that failed before any of it was sent, so that it certainly had no effect. */
public final class NotSentException extends IOException {
    private static final long serialVersionUID = 1L;

    NotSentException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
