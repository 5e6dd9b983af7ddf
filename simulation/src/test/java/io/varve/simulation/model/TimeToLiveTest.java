package io.varve.simulation.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.simulation.model.Engine.Indexing;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** DynamoDB Local removes expired items when it likes, so that this is not compared with it. */
class TimeToLiveTest {
    private static final String TABLE = "rows";

    private final Engine engine = new Engine(Indexing.AT_ONCE);

    TimeToLiveTest() {
        engine.createTable(CreateTableRequest.builder()
                .tableName(TABLE)
                .attributeDefinitions(attribute("hash"), attribute("sort"))
                .keySchema(key("hash", KeyType.HASH), key("sort", KeyType.RANGE))
                .build());
    }

    private static AttributeDefinition attribute(String name) {
        return AttributeDefinition.builder()
                .attributeName(name)
                .attributeType(ScalarAttributeType.S)
                .build();
    }

    private static KeySchemaElement key(String name, KeyType type) {
        return KeySchemaElement.builder().attributeName(name).keyType(type).build();
    }

    private void put(String name, AttributeValue expiry) {
        engine.putItem(PutItemRequest.builder()
                .tableName(TABLE)
                .item(Map.of("hash", AttributeValue.fromS(name), "sort", AttributeValue.fromS("x"), "expiry", expiry))
                .build());
    }

    @Test
    void onlyWhatHasExpired_andWhoseTurnItIs_isRemoved() {
        put("old", AttributeValue.fromN("99"));
        put("later", AttributeValue.fromN("99"));
        put("now", AttributeValue.fromN("100"));
        put("text", AttributeValue.fromS("99"));

        int removed = engine.removeExpired(
                TABLE,
                "expiry",
                100,
                item -> !"later"
                        .equals(item.getOrDefault("hash", AttributeValue.fromS(""))
                                .s()));

        assertThat(removed).isEqualTo(1);
        assertThat(engine.items(TABLE).stream()
                        .map(item -> item.getOrDefault("hash", AttributeValue.fromS(""))
                                .s()))
                .containsExactly("later", "now", "text");
    }
}
