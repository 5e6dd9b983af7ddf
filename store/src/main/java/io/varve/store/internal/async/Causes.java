package io.varve.store.internal.async;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** What was really thrown. */
public final class Causes {
    private Causes() {}

    /** What was thrown, without the wrappers that stages put around it. */
    public static Throwable unwrap(Throwable thrown) {
        Throwable cause = thrown;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
