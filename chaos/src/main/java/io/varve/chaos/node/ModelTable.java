package io.varve.chaos.node;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * The read models: an item for each projection and account, with the numbers of its events in the order in which they were processed, and
 * the sum of their amounts. Nothing of it is idempotent, so that an event that is processed twice shows.
 */
final class ModelTable {
    private static final String CHANGE =
            "SET numbers = list_append(if_not_exists(numbers, :none), :numbers) ADD amount :sum";

    private final DynamoDbAsyncClient client;
    private final String name;

    ModelTable(DynamoDbAsyncClient client, String name) {
        this.client = client;
        this.name = name;
    }

    /** Events of one account, in their order. */
    record Processed(String persistenceId, List<Long> numbers, long sum) {}

    /** The change for a transaction. */
    TransactWriteItem change(String model, Processed events) {
        return TransactWriteItem.builder()
                .update(update -> update.tableName(name)
                        .key(key(model, events))
                        .updateExpression(CHANGE)
                        .expressionAttributeValues(values(events)))
                .build();
    }

    /** Makes the change at once. */
    CompletionStage<Done> store(String model, Processed events) {
        return client.updateItem(update -> update.tableName(name)
                        .key(key(model, events))
                        .updateExpression(CHANGE)
                        .expressionAttributeValues(values(events)))
                .thenApply(stored -> Done.getInstance());
    }

    /** An item of another kind. */
    CompletionStage<Map<String, AttributeValue>> get(String id) {
        return client.getItem(get -> get.tableName(name)
                        .key(Map.of("id", AttributeValue.fromS(id)))
                        .consistentRead(true))
                .thenApply(answer -> answer.item());
    }

    /** Replaces an item of another kind. */
    CompletionStage<Done> put(Map<String, AttributeValue> item) {
        return client.putItem(put -> put.tableName(name).item(item)).thenApply(stored -> Done.getInstance());
    }

    private static Map<String, AttributeValue> key(String model, Processed events) {
        return Map.of("id", AttributeValue.fromS(model + "/" + events.persistenceId()));
    }

    private static Map<String, AttributeValue> values(Processed events) {
        return Map.of(
                ":none",
                AttributeValue.fromL(List.of()),
                ":numbers",
                AttributeValue.fromL(events.numbers().stream()
                        .map(number -> AttributeValue.fromN(Long.toString(number)))
                        .toList()),
                ":sum",
                AttributeValue.fromN(Long.toString(events.sum())));
    }
}
