package io.varve.store.internal.journal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The items of one entity's events, to be taken away and put back past the store. */
record StoredItems(DynamoDbAsyncClient client, String table, String persistenceId) {

    /** Takes events away; those that are there are returned. */
    List<Map<String, AttributeValue>> take(long first, long last) {
        List<Map<String, AttributeValue>> taken = new ArrayList<>();
        for (long n = first; n <= last; n++) {
            Map<String, AttributeValue> key = TestStore.KEYS.eventKey(persistenceId, n);
            Map<String, AttributeValue> item = TestStore.item(client, table, key);
            if (!item.isEmpty()) {
                taken.add(item);
                client.deleteItem(r -> r.tableName(table).key(key)).join();
            }
        }
        return taken;
    }

    void put(List<Map<String, AttributeValue>> items) {
        items.forEach(item -> client.putItem(r -> r.tableName(table).item(item)).join());
    }

    void set(long number, String attribute, AttributeValue value) {
        client.updateItem(r -> r.tableName(table)
                        .key(TestStore.KEYS.eventKey(persistenceId, number))
                        .updateExpression("SET #a = :a")
                        .expressionAttributeNames(Map.of("#a", attribute))
                        .expressionAttributeValues(Map.of(":a", value)))
                .join();
    }

    static List<Long> numbers(long first, long last) {
        return LongStream.rangeClosed(first, last).boxed().toList();
    }
}
