package io.varve.store;

import java.time.Duration;
import java.util.Optional;

/**
 * Is told of each request to DynamoDB, on the thread that completes it, and of what a query has to give up; it must not block. What
 * it throws is logged and ignored.
 */
public interface StoreObserver {
    /** Observes nothing. */
    StoreObserver NONE = new StoreObserver() {
        @Override
        public void requested(Request request) {}

        @Override
        public boolean enabled() {
            return false;
        }
    };

    /** A request has been answered, or has failed. */
    void requested(Request request);

    /** A query has forgotten entities too early, so that it finds late events of a shorter time. */
    default void forgotten(Forgotten forgotten) {}

    /** Whether anybody listens; if not, requests do not ask DynamoDB for the consumed capacity. */
    default boolean enabled() {
        return true;
    }

    /**
     * One request as it was sent: a retry is a request of its own, with the next attempt number.
     *
     * @param operation the name of DynamoDB's operation
     * @param table the first table that it names
     * @param items how many items it writes or asks for
     * @param attempt 1 for the first try
     * @param latency from sending to answer
     * @param capacityUnits what DynamoDB says that it cost
     * @param failure why it failed, if it did; unprocessed items count as {@link FailureKind#THROTTLED}
     */
    record Request(
            String operation,
            String table,
            int items,
            int attempt,
            Duration latency,
            double capacityUnits,
            Optional<FailureKind> failure) {}

    /**
     * Entities beyond {@code remembered-entities}.
     *
     * @param table the table that the query reads
     * @param entityType their type
     * @param entities how many were forgotten
     */
    record Forgotten(String table, String entityType, int entities) {}
}
