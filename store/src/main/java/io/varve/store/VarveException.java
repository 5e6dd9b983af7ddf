package io.varve.store;

import org.jspecify.annotations.Nullable;

/** The root of all exceptions of Varve. */
public class VarveException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** An exception with a message that says what happened, to what, and what to do. */
    public VarveException(String message) {
        super(message);
    }

    /** As {@link #VarveException(String)}, with what caused it. */
    public VarveException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
