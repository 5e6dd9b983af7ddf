package io.varve.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** DynamoDB throttled a request for longer than its operation had time. */
public final class ThrottledException extends StoreException {
    private static final long serialVersionUID = 1L;

    private final transient List<Reason> reasons;

    /** Why, and which table or index, as AWS names them. */
    public record Reason(String reason, String resource) {}

    /** Throttled for these reasons. */
    public ThrottledException(
            String message, List<Reason> reasons, boolean mayHaveTakenEffect, @Nullable Throwable cause) {
        super(message, FailureKind.THROTTLED, mayHaveTakenEffect, false, cause);
        this.reasons = List.copyOf(reasons);
    }

    /** The reasons that AWS gave; empty where it gave none. */
    public List<Reason> reasons() {
        return reasons == null ? List.of() : reasons;
    }
}
