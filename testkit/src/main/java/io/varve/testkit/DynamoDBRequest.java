package io.varve.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import io.varve.testkit.internal.request.ParsedRequest;
import java.util.List;
import java.util.Optional;

/** What a request to DynamoDB asks for. */
public final class DynamoDBRequest {

    private final ParsedRequest request;

    DynamoDBRequest(ParsedRequest request) {
        this.request = request;
    }

    /** DynamoDB's name of the operation, such as {@code PutItem}. */
    public String operation() {
        return request.operation();
    }

    /** The tables that the request names. */
    public List<String> tables() {
        return request.tables();
    }

    /** The number of items to write or keys to read; 0 for a query or a scan. */
    public int items() {
        return request.items();
    }

    /** The partition keys of all items and of a query's key condition; binary ones as Base64. */
    public List<String> partitionKeys() {
        return request.partitionKeys();
    }

    /** The index that a query or scan reads. */
    public Optional<String> index() {
        return request.index();
    }

    /** Whether the request is a strongly consistent read, in any of its tables. */
    public boolean consistentRead() {
        return request.consistentRead();
    }

    /** The request's JSON, empty if no recording and no rule had a need to read it. */
    public JsonNode body() {
        return request.body();
    }

    /** The operation with the number of items of a batch or transaction, and the index of a query. */
    @Override
    public String toString() {
        return request.toString();
    }
}
