package io.varve.testkit;

import java.util.Map;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndex;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.LocalSecondaryIndex;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** A table like the journal's: keys par and num, an index of everything and one of keys. */
final class Tables {

    static final String EVERYTHING_INDEX = "everything-idx";
    static final String KEYS_INDEX = "keys-idx";

    private Tables() {}

    static void create(DynamoDbAsyncClient client, String table) {
        client.createTable(request -> request.tableName(table)
                        .billingMode(BillingMode.PAY_PER_REQUEST)
                        .attributeDefinitions(
                                attribute("par", ScalarAttributeType.S),
                                attribute("num", ScalarAttributeType.N),
                                attribute("shard", ScalarAttributeType.S),
                                attribute("bucket", ScalarAttributeType.S))
                        .keySchema(key("par", KeyType.HASH), key("num", KeyType.RANGE))
                        .globalSecondaryIndexes(
                                index(EVERYTHING_INDEX, "shard", ProjectionType.ALL),
                                index(KEYS_INDEX, "bucket", ProjectionType.KEYS_ONLY)))
                .join();
    }

    /** A table like that of the snapshots: keys par and seq, a local index of keys by ts. */
    static void createWithLocalIndex(DynamoDbAsyncClient client, String table) {
        LocalSecondaryIndex index = LocalSecondaryIndex.builder()
                .indexName("ts-idx")
                .keySchema(key("par", KeyType.HASH), key("ts", KeyType.RANGE))
                .projection(projection -> projection.projectionType(ProjectionType.KEYS_ONLY))
                .build();
        client.createTable(request -> request.tableName(table)
                        .billingMode(BillingMode.PAY_PER_REQUEST)
                        .attributeDefinitions(
                                attribute("par", ScalarAttributeType.S),
                                attribute("seq", ScalarAttributeType.N),
                                attribute("ts", ScalarAttributeType.N))
                        .keySchema(key("par", KeyType.HASH), key("seq", KeyType.RANGE))
                        .localSecondaryIndexes(index))
                .join();
    }

    static PutItemRequest put(String table, String par, int num) {
        return PutItemRequest.builder().tableName(table).item(key(par, num)).build();
    }

    static Map<String, AttributeValue> key(String par, int num) {
        return Map.of("par", text(par), "num", number(num));
    }

    /** An item with so many bytes in its payload, in the index of everything. */
    static Map<String, AttributeValue> indexed(String par, int num, int bytes) {
        return Map.of("par", text(par), "num", number(num), "shard", text("s"), "event", binary(bytes));
    }

    static AttributeValue text(String value) {
        return AttributeValue.fromS(value);
    }

    static AttributeValue number(int value) {
        return AttributeValue.fromN(Integer.toString(value));
    }

    static AttributeValue binary(int bytes) {
        return AttributeValue.fromB(SdkBytes.fromByteArray(new byte[bytes]));
    }

    private static AttributeDefinition attribute(String name, ScalarAttributeType type) {
        return AttributeDefinition.builder()
                .attributeName(name)
                .attributeType(type)
                .build();
    }

    private static GlobalSecondaryIndex index(String name, String hashKey, ProjectionType projectionType) {
        return GlobalSecondaryIndex.builder()
                .indexName(name)
                .keySchema(key(hashKey, KeyType.HASH))
                .projection(projection -> projection.projectionType(projectionType))
                .build();
    }

    private static KeySchemaElement key(String name, KeyType type) {
        return KeySchemaElement.builder().attributeName(name).keyType(type).build();
    }
}
