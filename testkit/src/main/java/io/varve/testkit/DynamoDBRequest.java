package io.varve.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What a request to DynamoDB asks for. */
public final class DynamoDBRequest {

    private final String operation;
    private final JsonNode body;
    private final List<ItemOperation> itemOperations;
    private final List<String> partitionKeys;
    private final TableDefinitions definitions;

    private DynamoDBRequest(
            String operation,
            JsonNode body,
            List<ItemOperation> itemOperations,
            List<String> partitionKeys,
            TableDefinitions definitions) {
        this.operation = operation;
        this.body = body;
        this.itemOperations = itemOperations;
        this.partitionKeys = partitionKeys;
        this.definitions = definitions;
    }

    /** A request whose body nobody needs. */
    static DynamoDBRequest unread(String operation) {
        return new DynamoDBRequest(operation, Json.empty(), List.of(), List.of(), new TableDefinitions());
    }

    static DynamoDBRequest of(String operation, JsonNode body, TableDefinitions definitions) {
        List<ItemOperation> itemOperations = ItemOperation.in(operation, body);
        List<String> keys = Stream.concat(
                        itemOperations.stream().flatMap(item -> partitionKey(item, definitions).stream()),
                        KeyCondition.partitionKey(body, definitions.find(Json.text(body, "TableName"))).stream())
                .distinct()
                .toList();
        return new DynamoDBRequest(operation, body, itemOperations, keys, definitions);
    }

    /** DynamoDB's name of the operation, such as {@code PutItem}. */
    public String operation() {
        return operation;
    }

    /** The tables that the request names. */
    public List<String> tables() {
        return tables(body, itemOperations);
    }

    /** The number of items to write or keys to read; 0 for a query or a scan. */
    public int items() {
        return itemOperations.size();
    }

    /** The partition keys of all items and of a query's key condition; binary ones as Base64. */
    public List<String> partitionKeys() {
        return partitionKeys;
    }

    /** The index that a query or scan reads. */
    public Optional<String> index() {
        return Optional.of(Json.text(body, "IndexName")).filter(name -> !name.isEmpty());
    }

    /** Whether the request is a strongly consistent read, in any of its tables. */
    public boolean consistentRead() {
        return Json.isTrue(body, "ConsistentRead")
                || Json.object(body, "RequestItems").values().stream()
                        .anyMatch(table -> table.isObject() && Json.isTrue(table, "ConsistentRead"));
    }

    /** The request's JSON, empty if no recording and no rule had a need to read it. */
    public JsonNode body() {
        return body;
    }

    /** The operation with the number of items of a batch or transaction, and the index of a query. */
    @Override
    public String toString() {
        if (operation.startsWith("Batch") || operation.startsWith("Transact")) {
            return operation + "(" + items() + ")";
        }
        return index().map(name -> operation + "[" + name + "]").orElse(operation);
    }

    List<ItemOperation> itemOperations() {
        return itemOperations;
    }

    /** The partition key of one of its items. */
    Optional<String> partitionKey(ItemOperation item) {
        return partitionKey(item, definitions);
    }

    private static Optional<String> partitionKey(ItemOperation item, TableDefinitions definitions) {
        return definitions.find(item.table()).partitionKey(item.attributes());
    }

    /** The tables whose items an operation reads or writes. */
    static List<String> tables(JsonNode body, List<ItemOperation> itemOperations) {
        return Stream.concat(
                        Stream.of(Json.text(body, "TableName")).filter(name -> !name.isEmpty()),
                        itemOperations.stream().map(ItemOperation::table))
                .distinct()
                .toList();
    }
}
