package io.varve.testkit;

import java.util.List;
import java.util.Optional;

/**
 * One request that came to the proxy, and what became of it.
 *
 * @param number its place in the order of arrival
 * @param request what it asks for
 * @param items the items written, the keys asked for, or the items that a query or scan returned
 * @param status the HTTP status of the answer, whether or not the client got it, or {@link #NO_RESPONSE}
 * @param errorCode DynamoDB's name of the error, empty for a success
 * @param capacity what it consumed by AWS's rules
 */
public record RecordedRequest(
        long number, DynamoDBRequest request, int items, int status, String errorCode, Capacity capacity) {

    /** The status of a request that nobody answered, or not yet. */
    public static final int NO_RESPONSE = 0;

    /** DynamoDB's name of the operation. */
    public String operation() {
        return request.operation();
    }

    /** The tables that the request names. */
    public List<String> tables() {
        return request.tables();
    }

    /** The index that a query or scan reads. */
    public Optional<String> index() {
        return request.index();
    }

    /** Whether it is a strongly consistent read. */
    public boolean consistentRead() {
        return request.consistentRead();
    }

    /** The partition keys that it names. */
    public List<String> partitionKeys() {
        return request.partitionKeys();
    }

    /** Whether it was answered with success. */
    public boolean succeeded() {
        return status == 200;
    }
}
