package io.varve.projection;

import io.varve.store.VarveException;
import org.jspecify.annotations.Nullable;

/** A transaction that can never be stored as it is: of a group, a part perhaps can. */
final class TransactionRefused extends VarveException {
    private static final long serialVersionUID = 1L;

    TransactionRefused(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
