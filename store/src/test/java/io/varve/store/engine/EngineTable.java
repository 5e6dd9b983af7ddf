package io.varve.store.engine;

import io.varve.testkit.TableNames;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndex;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** A new table with keys {@code par} and {@code num} and a global index on {@code name_} and {@code kind}, both texts. */
final class EngineTable {
    static final String INDEX = "by-name";
    /** What an item of {@link #item} has besides its payload, in bytes: three names, a partition of one letter, a number of one digit. */
    static final int REST = 3 + 1 + 3 + 2 + 3;

    private final DynamoDbAsyncClient client;
    private final String name;

    private EngineTable(DynamoDbAsyncClient client, String name) {
        this.client = client;
        this.name = name;
    }

    static EngineTable create(DynamoDbAsyncClient client) {
        String name = TableNames.fresh().journal();
        client.createTable(table -> table.tableName(name)
                        .billingMode(BillingMode.PAY_PER_REQUEST)
                        .attributeDefinitions(
                                attribute("par", ScalarAttributeType.S),
                                attribute("num", ScalarAttributeType.N),
                                attribute("name_", ScalarAttributeType.S),
                                attribute("kind", ScalarAttributeType.S))
                        .keySchema(schema("par", "num"))
                        .globalSecondaryIndexes(GlobalSecondaryIndex.builder()
                                .indexName(INDEX)
                                .keySchema(schema("name_", "kind"))
                                .projection(all -> all.projectionType(ProjectionType.ALL))
                                .build()))
                .join();
        return new EngineTable(client, name);
    }

    String name() {
        return name;
    }

    /** A token of at most 36 letters that only tests of this table use. */
    String token() {
        return name.substring(name.length() - 36);
    }

    /** The same through another client. */
    EngineTable through(DynamoDbAsyncClient other) {
        return new EngineTable(other, name);
    }

    static Map<String, AttributeValue> key(String partition, int number) {
        return Map.of("par", text(partition), "num", AttributeValue.fromN(Integer.toString(number)));
    }

    static Map<String, AttributeValue> item(String partition, int number, int payload) {
        Map<String, AttributeValue> item = new HashMap<>(key(partition, number));
        item.put("pay", text("x".repeat(payload)));
        return item;
    }

    static Map<String, AttributeValue> indexed(String partition, int number, String name, String kind) {
        Map<String, AttributeValue> item = item(partition, number, 1);
        item.put("name_", text(name));
        item.put("kind", text(kind));
        return item;
    }

    static AttributeValue text(String text) {
        return AttributeValue.fromS(text);
    }

    void put(Map<String, AttributeValue> item) {
        client.putItem(put -> put.tableName(name).item(item)).join();
    }

    void putUnless(String condition, Map<String, AttributeValue> item) {
        client.putItem(put -> put.tableName(name).item(item).conditionExpression(condition))
                .join();
    }

    void transact(TransactWriteItem... actions) {
        client.transactWriteItems(request -> request.transactItems(actions)).join();
    }

    TransactWriteItem putAction(Map<String, AttributeValue> item, Consumer<Put.Builder> more) {
        return TransactWriteItem.builder()
                .put(put -> {
                    put.tableName(name).item(item);
                    more.accept(put);
                })
                .build();
    }

    TransactWriteItem putAction(Map<String, AttributeValue> item) {
        return putAction(item, put -> {});
    }

    void batch(List<Map<String, AttributeValue>> items) {
        List<WriteRequest> writes = items.stream()
                .map(item ->
                        WriteRequest.builder().putRequest(put -> put.item(item)).build())
                .toList();
        client.batchWriteItem(request -> request.requestItems(Map.of(name, writes)))
                .join();
    }

    Map<String, AttributeValue> get(String partition, int number) {
        return client.getItem(
                        get -> get.tableName(name).key(key(partition, number)).consistentRead(true))
                .join()
                .item();
    }

    QueryRequest.Builder query(String partition) {
        return QueryRequest.builder()
                .tableName(name)
                .consistentRead(true)
                .keyConditionExpression("par = :par")
                .expressionAttributeValues(Map.of(":par", text(partition)));
    }

    private static AttributeDefinition attribute(String name, ScalarAttributeType type) {
        return AttributeDefinition.builder()
                .attributeName(name)
                .attributeType(type)
                .build();
    }

    private static List<KeySchemaElement> schema(String hash, String sort) {
        return Stream.of(Map.entry(hash, KeyType.HASH), Map.entry(sort, KeyType.RANGE))
                .map(part -> KeySchemaElement.builder()
                        .attributeName(part.getKey())
                        .keyType(part.getValue())
                        .build())
                .toList();
    }
}
