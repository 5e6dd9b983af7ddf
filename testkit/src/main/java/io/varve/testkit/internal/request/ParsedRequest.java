package io.varve.testkit.internal.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.varve.testkit.internal.json.LenientJson;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A request to DynamoDB, taken apart. */
public final class ParsedRequest {

    private final String operation;
    private final JsonNode body;
    private final List<ItemOperation> itemOperations;
    private final KnownTables knownTables;
    private final List<String> partitionKeys;

    private ParsedRequest(
            String operation, JsonNode body, List<ItemOperation> itemOperations, KnownTables knownTables) {
        this.operation = operation;
        this.body = body;
        this.itemOperations = itemOperations;
        this.knownTables = knownTables;
        this.partitionKeys = findPartitionKeys(); // now, because the tables may be forgotten later
    }

    /** A request whose body nobody needs. */
    public static ParsedRequest unread(String operation) {
        return new ParsedRequest(operation, LenientJson.empty(), List.of(), new KnownTables());
    }

    /** A request with all that its body asks for. */
    public static ParsedRequest of(String operation, JsonNode body, KnownTables knownTables) {
        return new ParsedRequest(operation, body, ItemOperation.in(operation, body), knownTables);
    }

    /** DynamoDB's name of the operation, such as {@code PutItem}. */
    public String operation() {
        return operation;
    }

    /** The request's JSON, empty if it is unread. */
    public JsonNode body() {
        return body;
    }

    /** What it does with single items. */
    public List<ItemOperation> itemOperations() {
        return itemOperations;
    }

    /** The number of items to write or keys to read; 0 for a query or a scan. */
    public int items() {
        return itemOperations.size();
    }

    /** The tables that the request names. */
    public List<String> tables() {
        return tables(body, itemOperations);
    }

    /** The tables that a body and its operations on items name. */
    public static List<String> tables(JsonNode body, List<ItemOperation> itemOperations) {
        return Stream.concat(
                        Stream.of(LenientJson.text(body, "TableName")).filter(name -> !name.isEmpty()),
                        itemOperations.stream().map(ItemOperation::table))
                .distinct()
                .toList();
    }

    /** The partition keys of all items and of a query's key condition; binary ones as Base64. */
    public List<String> partitionKeys() {
        return partitionKeys;
    }

    private List<String> findPartitionKeys() {
        TableKeys queried = knownTables.find(LenientJson.text(body, "TableName"));
        return Stream.concat(
                        itemOperations.stream().flatMap(item -> partitionKey(item).stream()),
                        KeyCondition.partitionKey(body, queried).stream())
                .distinct()
                .toList();
    }

    /** The partition key of one of its items. */
    public Optional<String> partitionKey(ItemOperation item) {
        return knownTables.find(item.table()).partitionKey(item.attributes());
    }

    /** The index that a query or scan reads. */
    public Optional<String> index() {
        return Optional.of(LenientJson.text(body, "IndexName")).filter(name -> !name.isEmpty());
    }

    /** Whether the request is a strongly consistent read, in any of its tables. */
    public boolean consistentRead() {
        return LenientJson.isTrue(body, "ConsistentRead")
                || LenientJson.object(body, "RequestItems").values().stream()
                        .anyMatch(table -> LenientJson.isTrue(table, "ConsistentRead"));
    }

    /** The operation with the number of items of a batch or transaction, and the index of a query. */
    @Override
    public String toString() {
        if (operation.startsWith("Batch") || operation.startsWith("Transact")) {
            return operation + "(" + items() + ")";
        }
        return index().map(name -> operation + "[" + name + "]").orElse(operation);
    }
}
