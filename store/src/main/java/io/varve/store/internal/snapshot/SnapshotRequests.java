package io.varve.store.internal.snapshot;

import io.varve.store.internal.client.Budget;
import io.varve.store.internal.client.Call;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.Pages;
import io.varve.store.internal.client.WriteResult;
import io.varve.store.internal.layout.Item;
import io.varve.store.internal.layout.SnapshotKeys;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.DescribeTableRequest;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** The requests of one operation: all to one table, and all within one budget. */
final class SnapshotRequests {
    /** Which share of what is left a description of the table may take, because a save can do without it. */
    private static final int SHARE_OF_DESCRIPTION = 4;

    private final Gateway gateway;
    private final String table;
    private final Budget budget;
    private volatile boolean unanswered;

    SnapshotRequests(Gateway gateway, String table, Budget budget) {
        this.gateway = gateway;
        this.table = table;
        this.budget = budget;
    }

    /** The time that is left for all that is still to be sent. */
    Duration left() {
        return budget.left();
    }

    /** Whether a write of this operation was sent again for want of an answer, so that its first attempt may still arrive. */
    boolean unanswered() {
        return unanswered;
    }

    /** An item of this table, as it was read. */
    Item item(Map<String, AttributeValue> attributes) {
        return new Item(table, attributes);
    }

    CompletionStage<WriteResult> put(Map<String, AttributeValue> item) {
        return noted(gateway.putItem(
                PutItemRequest.builder().tableName(table).item(item).build(), budget));
    }

    /** Puts an item where there is none. */
    CompletionStage<WriteResult> create(Map<String, AttributeValue> item) {
        return noted(gateway.putItem(
                PutItemRequest.builder()
                        .tableName(table)
                        .item(item)
                        .conditionExpression("attribute_not_exists(" + SnapshotKeys.PARTITION + ")")
                        .build(),
                budget));
    }

    /** Deletes an item if the condition holds, and otherwise tells what is there. */
    CompletionStage<WriteResult> delete(
            Map<String, AttributeValue> key, String condition, Map<String, AttributeValue> values) {
        return noted(gateway.deleteItem(
                DeleteItemRequest.builder()
                        .tableName(table)
                        .key(key)
                        .conditionExpression(condition)
                        .expressionAttributeValues(values)
                        .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)
                        .build(),
                budget));
    }

    /** Deletes items in batches. */
    CompletionStage<Void> delete(List<Map<String, AttributeValue>> keys) {
        List<WriteRequest> deletions = keys.stream()
                .map(key -> WriteRequest.builder()
                        .deleteRequest(delete -> delete.key(key))
                        .build())
                .toList();
        return gateway.batchWrite(table, deletions, budget);
    }

    CompletionStage<WriteResult> transact(TransactWriteItem first, TransactWriteItem second) {
        return noted(gateway.transactWriteItems(List.of(first, second), budget));
    }

    /** Reads items by their keys, consistently. */
    CompletionStage<List<Map<String, AttributeValue>>> get(List<Map<String, AttributeValue>> keys) {
        return gateway.batchGet(table, keys, true, budget);
    }

    /** One page of a consistent query. */
    CompletionStage<QueryResponse> page(QueryRequest.Builder query) {
        return gateway.call(
                Call.QUERY, query.tableName(table).consistentRead(true).build(), budget);
    }

    /** All pages of a consistent query. */
    CompletionStage<Void> pages(QueryRequest.Builder query, Consumer<Item> each) {
        QueryRequest consistent = query.tableName(table).consistentRead(true).build();
        return Pages.forEach(gateway, consistent, budget, page -> {
            page.items().forEach(item -> each.accept(item(item)));
            return CompletableFuture.completedFuture(null);
        });
    }

    CompletionStage<TableDescription> describe() {
        DescribeTableRequest describe =
                DescribeTableRequest.builder().tableName(table).build();
        Budget share = budget.part(left().dividedBy(SHARE_OF_DESCRIPTION));
        return gateway.call(Call.DESCRIBE_TABLE, describe, share).thenApply(described -> described.table());
    }

    private CompletionStage<WriteResult> noted(CompletionStage<WriteResult> write) {
        return write.thenApply(result -> {
            if (result.afterUncertainAttempt()) {
                unanswered = true;
            }
            return result;
        });
    }
}
