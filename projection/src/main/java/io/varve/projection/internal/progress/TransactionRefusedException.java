package io.varve.projection.internal.progress;

import io.varve.store.VarveException;
import org.jspecify.annotations.Nullable;

/** A transaction that can never be stored as it is: of a group, a part perhaps can. */
public final class TransactionRefusedException extends VarveException {
    private static final long serialVersionUID = 1L;

    public TransactionRefusedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
