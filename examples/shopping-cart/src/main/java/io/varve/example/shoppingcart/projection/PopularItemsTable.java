package io.varve.example.shoppingcart.projection;

import io.varve.projection.Requests;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemResponse;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** The example's own table: one row for each item that was ever put into a cart, with its quantity. */
public final class PopularItemsTable {
    private static final String ITEM = "item";
    private static final String QUANTITY = "quantity";
    private static final int LARGEST_BATCH = 25;

    private final ActorSystem<?> system;
    private final DynamoDbAsyncClient client;
    private final String name;

    /** The table that the configuration names. */
    public PopularItemsTable(ActorSystem<?> system, DynamoDbAsyncClient client) {
        this.system = system;
        this.client = client;
        this.name = system.settings().config().getString("shopping-cart.popular-items-table");
    }

    /** An item and how many of it were put into carts. */
    public record Popular(String item, long quantity) {}

    /** Creates the table unless it is there, also if several nodes do so at once; completes when it can be used. */
    public CompletionStage<Done> create() {
        return ReadModelTables.create(client, name, ITEM);
    }

    /** The change that counts more of an item. */
    TransactWriteItem add(String item, int quantity) {
        return TransactWriteItem.builder()
                .update(update -> update.tableName(name)
                        .key(Map.of(ITEM, AttributeValue.fromS(item)))
                        .updateExpression("ADD " + QUANTITY + " :more")
                        .expressionAttributeValues(Map.of(":more", AttributeValue.fromN(Integer.toString(quantity)))))
                .build();
    }

    /** The most popular items, the first one first. It reads the whole table, which is as long as the list of goods. */
    public CompletionStage<List<Popular>> top(int limit) {
        return rows().map(row -> new Popular(
                        attribute(row, ITEM).s(),
                        Long.parseLong(attribute(row, QUANTITY).n())))
                .runWith(Sink.seq(), system)
                .thenApply(all -> all.stream()
                        .sorted(Comparator.comparingLong(Popular::quantity)
                                .reversed()
                                .thenComparing(Popular::item))
                        .limit(limit)
                        .toList());
    }

    /** Deletes all rows. */
    CompletionStage<Done> clear() {
        return rows().map(row -> WriteRequest.builder()
                        .deleteRequest(delete -> delete.key(Map.of(ITEM, attribute(row, ITEM))))
                        .build())
                .grouped(LARGEST_BATCH)
                .mapAsync(1, this::write)
                .runWith(Sink.ignore(), system);
    }

    private CompletionStage<BatchWriteItemResponse> write(List<WriteRequest> requests) {
        return Requests.batchWriteWithRetries(
                client,
                BatchWriteItemRequest.builder()
                        .requestItems(Map.of(name, requests))
                        .build(),
                5,
                Duration.ofMillis(100),
                Duration.ofSeconds(2),
                0.3,
                system);
    }

    private Source<Map<String, AttributeValue>, ?> rows() {
        return Source.fromPublisher(
                client.scanPaginator(scan -> scan.tableName(name)).items());
    }

    private static AttributeValue attribute(Map<String, AttributeValue> row, String attribute) {
        return Objects.requireNonNull(row.get(attribute), attribute);
    }
}
