package io.varve.store.snapshot;

import io.varve.store.VarveException;
import org.jspecify.annotations.Nullable;

/** A snapshot that is stored, but cannot be read. */
public final class SnapshotException extends VarveException {
    private static final long serialVersionUID = 1L;

    SnapshotException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
