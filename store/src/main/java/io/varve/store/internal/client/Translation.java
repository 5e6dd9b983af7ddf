package io.varve.store.internal.client;

import io.varve.store.FailureKind;
import io.varve.store.StoreException;
import io.varve.store.TableMissingException;
import io.varve.store.ThrottledException;
import java.time.Duration;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Turns a failure into the exception that callers see: what happened, how often it was tried, what to do. */
final class Translation {
    private Translation() {}

    static StoreException exception(
            String operation, String table, Failure failure, int attempts, Budget budget, boolean uncertain) {
        String what = operation + " on table '" + table + "'";
        String tried = " after " + attempts + (attempts == 1 ? " attempt" : " attempts") + " within "
                + seconds(budget.total());
        return switch (failure.kind()) {
            case THROTTLED ->
                new ThrottledException(
                        what + " was throttled" + reasons(failure) + tried
                                + "; raise the capacity of what is named, spread the load, or allow more time with"
                                + " operation-timeout",
                        failure.throttling(),
                        uncertain,
                        failure.cause());
            case NOT_FOUND ->
                new TableMissingException(
                        what
                                + " failed: the table or the index does not exist in this region and account; create it with"
                                + " VarveTables, or correct the table's name, the region or the endpoint",
                        failure.cause());
            case NOT_SENT ->
                new StoreException(
                        what + " was not sent" + tried + ": " + message(failure.cause()) + effect(uncertain),
                        failure.kind(),
                        uncertain,
                        false,
                        failure.cause());
            case SERVER_ERROR, CONNECTION, NO_ANSWER, TRANSACTION_CONFLICT, REPLICATION_CONFLICT ->
                new StoreException(
                        what + " failed" + tried + ": " + words(failure.kind()) + " (" + message(failure.cause()) + ")"
                                + effect(uncertain),
                        failure.kind(),
                        uncertain,
                        false,
                        failure.cause());
            case CONDITION, REFUSED ->
                new StoreException(
                        what + " was refused: " + message(failure.cause()),
                        failure.kind(),
                        uncertain,
                        failure.isInvalid(),
                        failure.cause());
        };
    }

    private static String effect(boolean uncertain) {
        return uncertain ? "; it may have taken effect all the same" : "";
    }

    private static String words(FailureKind kind) {
        return switch (kind) {
            case SERVER_ERROR -> "DynamoDB reports a fault of its own";
            case CONNECTION -> "the connection broke";
            case NO_ANSWER -> "no answer in time";
            case TRANSACTION_CONFLICT -> "another transaction holds the item";
            case REPLICATION_CONFLICT -> "a write in another region of the global table holds the item";
            default -> kind.name();
        };
    }

    private static String reasons(Failure failure) {
        return failure.throttling().isEmpty()
                ? " (" + message(failure.cause()) + ")"
                : failure.throttling().stream()
                        .map(r -> r.reason() + " on " + r.resource())
                        .collect(Collectors.joining(", ", " (", ")"));
    }

    private static String message(@Nullable Throwable cause) {
        if (cause == null) {
            return "unknown cause";
        }
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    private static String seconds(Duration duration) {
        return duration.toMillis() / 1000.0 + " s";
    }
}
