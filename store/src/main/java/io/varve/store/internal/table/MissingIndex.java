package io.varve.store.internal.table;

import io.varve.store.FailureKind;
import io.varve.store.StoreException;
import io.varve.store.TableException;
import io.varve.store.internal.async.Causes;

/** Recognizes the failure of a query whose index is not there, or not complete yet, and says so in words that help. */
public final class MissingIndex {
    private static final String NOT_THERE = "does not have the specified index";
    private static final String NOT_COMPLETE = "backfilling";

    private MissingIndex() {}

    /** What to report for a failed query of an index: what was thrown, or, if the index is missing, an error that names it. */
    public static Throwable explain(Throwable thrown, String table, String index, String whatToDo) {
        Throwable cause = Causes.unwrap(thrown);
        if (!(cause instanceof StoreException refused) || refused.kind() != FailureKind.REFUSED) {
            return cause;
        }
        String message = String.valueOf(refused.getMessage());
        if (message.contains(NOT_THERE)) {
            return new TableException("Table '" + table + "' has no index '" + index + "'. " + whatToDo, cause);
        }
        if (message.contains(NOT_COMPLETE)) {
            return new TableException(
                    "Index '" + index + "' of table '" + table
                            + "' is still being built and cannot be read: wait until DescribeTable calls it ACTIVE.",
                    cause);
        }
        return cause;
    }
}
