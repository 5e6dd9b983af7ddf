package io.varve.simulation.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemResponse;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.Delete;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.DescribeTableRequest;
import software.amazon.awssdk.services.dynamodb.model.DescribeTableResponse;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.GetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.IdempotentParameterMismatchException;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.LocalSecondaryIndexDescription;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;
import software.amazon.awssdk.services.dynamodb.model.TableStatus;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** The tables, and what requests do to them. Each call takes effect at once and as a whole. */
public final class Engine {
    private static final int MAX_ITEM = 400 * 1024;
    private static final int MAX_ACTIONS = 100;
    private static final int MAX_TRANSACTION = 4 * 1024 * 1024;
    private static final int MAX_BATCH_WRITES = 25;
    private static final int MAX_BATCH_READS = 100;

    /** Decides when an index learns of a change; the change is to be run once, after earlier ones of the same item. */
    public interface Indexing {
        /** Indexes that are always up to date. */
        Indexing AT_ONCE = (index, key, item, change) -> change.run();

        /** An index of a table is to learn that an item is now this one, or none. */
        void changed(String index, Object key, @Nullable Map<String, AttributeValue> item, Runnable change);
    }

    /** One action of a transaction, or a single write: what must hold, and what stands there afterwards. */
    private record Action(
            Table table,
            Table.Key key,
            Predicate<Map<String, AttributeValue>> condition,
            boolean returnsOld,
            boolean changes,
            Change change) {}

    private interface Change {
        @Nullable
        Map<String, AttributeValue> after(@Nullable Map<String, AttributeValue> before);
    }

    private final Map<String, Table> tables = new HashMap<>();
    private final Map<String, List<TransactWriteItem>> tokens = new HashMap<>();
    private final Indexing indexing;
    private BiConsumer<String, Map<String, AttributeValue>> listener = (table, item) -> {};

    public Engine(Indexing indexing) {
        this.indexing = indexing;
    }

    /** From now on hears of each item that is stored, and in which table. */
    public void listen(BiConsumer<String, Map<String, AttributeValue>> listener) {
        this.listener = listener;
    }

    public void createTable(CreateTableRequest definition) {
        tables.put(definition.tableName(), new Table(definition));
    }

    /** The keys and local indexes of a table. */
    public DescribeTableResponse describeTable(DescribeTableRequest request) {
        CreateTableRequest definition = table(request.tableName()).definition();
        return DescribeTableResponse.builder()
                .table(description -> description
                        .tableName(definition.tableName())
                        .tableStatus(TableStatus.ACTIVE)
                        .keySchema(definition.keySchema())
                        .localSecondaryIndexes(definition.localSecondaryIndexes().stream()
                                .map(index -> LocalSecondaryIndexDescription.builder()
                                        .indexName(index.indexName())
                                        .keySchema(index.keySchema())
                                        .projection(index.projection())
                                        .build())
                                .toList()))
                .build();
    }

    private Table table(String name) {
        return Optional.ofNullable(tables.get(name))
                .orElseThrow(() -> ResourceNotFoundException.builder()
                        .message("Requested resource not found: Table: " + name + " not found")
                        .statusCode(400)
                        .build());
    }

    /** All items of a table, in the order of their keys. */
    public List<Map<String, AttributeValue>> items(String table) {
        return List.copyOf(table(table).items().values());
    }

    public GetItemResponse getItem(GetItemRequest request) {
        Table table = table(request.tableName());
        Map<String, AttributeValue> item = table.items().get(table.exactKey(request.key()));
        GetItemResponse.Builder response = GetItemResponse.builder();
        if (item != null) {
            response.item(project(item, request.projectionExpression(), request.expressionAttributeNames()));
        }
        return response.build();
    }

    private static Map<String, AttributeValue> project(
            Map<String, AttributeValue> item, @Nullable String expression, Map<String, String> names) {
        if (expression == null) {
            return item;
        }
        Map<String, AttributeValue> part = new HashMap<>();
        for (String name : List.of(expression.split(",", -1))) {
            String attribute = new Tokens(name, names, Map.of()).name();
            AttributeValue value = item.get(attribute);
            if (value != null) {
                part.put(attribute, value);
            }
        }
        return part;
    }

    /** The beginning of a page; its driver reads it item by item. */
    public Read query(QueryRequest request) {
        return Read.query(table(request.tableName()), request);
    }

    /** The beginning of a page; its driver reads it item by item. */
    public Read scan(ScanRequest request) {
        return Read.scan(table(request.tableName()), request);
    }

    public void putItem(PutItemRequest request) {
        single(action(Put.builder()
                .tableName(request.tableName())
                .item(request.item())
                .conditionExpression(request.conditionExpression())
                .expressionAttributeNames(
                        names(request.hasExpressionAttributeNames(), request.expressionAttributeNames()))
                .expressionAttributeValues(
                        values(request.hasExpressionAttributeValues(), request.expressionAttributeValues()))
                .returnValuesOnConditionCheckFailure(request.returnValuesOnConditionCheckFailure())
                .build()));
    }

    public void deleteItem(DeleteItemRequest request) {
        single(action(Delete.builder()
                .tableName(request.tableName())
                .key(request.key())
                .conditionExpression(request.conditionExpression())
                .expressionAttributeNames(
                        names(request.hasExpressionAttributeNames(), request.expressionAttributeNames()))
                .expressionAttributeValues(
                        values(request.hasExpressionAttributeValues(), request.expressionAttributeValues()))
                .returnValuesOnConditionCheckFailure(request.returnValuesOnConditionCheckFailure())
                .build()));
    }

    public void updateItem(UpdateItemRequest request) {
        single(action(software.amazon.awssdk.services.dynamodb.model.Update.builder()
                .tableName(request.tableName())
                .key(request.key())
                .updateExpression(request.updateExpression())
                .conditionExpression(request.conditionExpression())
                .expressionAttributeNames(
                        names(request.hasExpressionAttributeNames(), request.expressionAttributeNames()))
                .expressionAttributeValues(
                        values(request.hasExpressionAttributeValues(), request.expressionAttributeValues()))
                .returnValuesOnConditionCheckFailure(request.returnValuesOnConditionCheckFailure())
                .build()));
    }

    private static @Nullable Map<String, String> names(boolean given, Map<String, String> names) {
        return given ? names : null;
    }

    private static @Nullable Map<String, AttributeValue> values(boolean given, Map<String, AttributeValue> values) {
        return given ? values : null;
    }

    private void single(Action action) {
        @Nullable Map<String, AttributeValue> before = action.table.items().get(action.key);
        if (!action.condition.test(before == null ? Map.of() : before)) {
            ConditionalCheckFailedException.Builder failed = ConditionalCheckFailedException.builder()
                    .message("The conditional request failed")
                    .statusCode(400);
            throw (action.returnsOld && before != null ? failed.item(before) : failed).build();
        }
        apply(action);
    }

    private void apply(Action action) {
        if (!action.changes) {
            return;
        }
        @Nullable
        Map<String, AttributeValue> after = checked(
                action.table,
                action.key,
                action.change.after(action.table.items().get(action.key)));
        store(action.table, action.key, after);
    }

    private static @Nullable Map<String, AttributeValue> checked(
            Table table, Table.Key key, @Nullable Map<String, AttributeValue> item) {
        if (item != null) {
            if (Values.size(item) > MAX_ITEM) {
                throw Errors.validation("Item size has exceeded the maximum allowed size");
            }
            if (!table.keyOf(item).equals(key)) {
                throw Errors.validation("Cannot update attributes that are part of the key");
            }
        }
        return item;
    }

    private void store(Table table, Table.Key key, @Nullable Map<String, AttributeValue> item) {
        @Nullable Map<String, AttributeValue> stored = item == null ? null : Map.copyOf(item);
        table.store(key, stored);
        if (stored != null) {
            listener.accept(table.name(), stored);
        }
        table.indexes().forEach((name, index) -> {
            if (index.isGlobal()) {
                indexing.changed(name, key, stored, () -> table.catchUp(index, key, stored));
            } else {
                table.catchUp(index, key, stored);
            }
        });
    }

    /** All or nothing; the same token again changes nothing. */
    public void transactWriteItems(TransactWriteItemsRequest request) {
        List<TransactWriteItem> items = request.transactItems();
        @Nullable String token = request.clientRequestToken();
        if (token != null && tokens.containsKey(token)) {
            if (!items.equals(tokens.get(token))) {
                throw IdempotentParameterMismatchException.builder()
                        .message("The token was used for another request")
                        .statusCode(400)
                        .build();
            }
            return;
        }
        List<Action> actions = items.stream().map(this::action).toList();
        checkLimits(items, actions);
        List<CancellationReason> reasons = new ArrayList<>();
        boolean failed = false;
        for (Action action : actions) {
            @Nullable Map<String, AttributeValue> before = action.table.items().get(action.key);
            if (action.condition.test(before == null ? Map.of() : before)) {
                reasons.add(CancellationReason.builder().code("None").build());
            } else {
                failed = true;
                CancellationReason.Builder reason = CancellationReason.builder()
                        .code("ConditionalCheckFailed")
                        .message("The conditional request failed");
                reasons.add((action.returnsOld && before != null ? reason.item(before) : reason).build());
            }
        }
        if (failed) {
            throw TransactionCanceledException.builder()
                    .message("Transaction cancelled, please refer cancellation reasons for specific reasons")
                    .cancellationReasons(reasons)
                    .statusCode(400)
                    .build();
        }
        for (Action action : actions) {
            checked(
                    action.table,
                    action.key,
                    action.change.after(action.table.items().get(action.key)));
        }
        actions.forEach(this::apply);
        if (token != null) {
            tokens.put(token, items);
        }
    }

    private static void checkLimits(List<TransactWriteItem> items, List<Action> actions) {
        if (actions.isEmpty() || actions.size() > MAX_ACTIONS) {
            throw Errors.validation("Member must have length less than or equal to 100");
        }
        Set<Map.Entry<String, Table.Key>> keys = new HashSet<>();
        long bytes = 0;
        for (int i = 0; i < actions.size(); i++) {
            Action action = actions.get(i);
            if (!keys.add(Map.entry(action.table.name(), action.key))) {
                throw Errors.validation("Transaction request cannot include multiple operations on one item");
            }
            Put put = items.get(i).put();
            bytes += put == null ? 0 : Values.size(put.item());
        }
        if (bytes > MAX_TRANSACTION) {
            throw Errors.validation("Transaction request cannot be larger than 4MB");
        }
    }

    private Action action(TransactWriteItem item) {
        if (item.put() != null) {
            return action(item.put());
        }
        if (item.delete() != null) {
            return action(item.delete());
        }
        if (item.update() != null) {
            return action(item.update());
        }
        ConditionCheck check = item.conditionCheck();
        Table table = table(check.tableName());
        return new Action(
                table,
                table.exactKey(check.key()),
                Expression.parse(
                        check.conditionExpression(),
                        check.expressionAttributeNames(),
                        check.expressionAttributeValues()),
                "ALL_OLD".equals(check.returnValuesOnConditionCheckFailureAsString()),
                false,
                before -> before);
    }

    private Action action(Put put) {
        Table table = table(put.tableName());
        return new Action(
                table,
                table.keyOf(put.item()),
                Expression.parse(
                        put.conditionExpression(), put.expressionAttributeNames(), put.expressionAttributeValues()),
                "ALL_OLD".equals(put.returnValuesOnConditionCheckFailureAsString()),
                true,
                before -> put.item());
    }

    private Action action(Delete delete) {
        Table table = table(delete.tableName());
        return new Action(
                table,
                table.exactKey(delete.key()),
                Expression.parse(
                        delete.conditionExpression(),
                        delete.expressionAttributeNames(),
                        delete.expressionAttributeValues()),
                "ALL_OLD".equals(delete.returnValuesOnConditionCheckFailureAsString()),
                true,
                before -> null);
    }

    private Action action(software.amazon.awssdk.services.dynamodb.model.Update update) {
        Table table = table(update.tableName());
        Update expression = Update.parse(
                update.updateExpression(), update.expressionAttributeNames(), update.expressionAttributeValues());
        return new Action(
                table,
                table.exactKey(update.key()),
                Expression.parse(
                        update.conditionExpression(),
                        update.expressionAttributeNames(),
                        update.expressionAttributeValues()),
                "ALL_OLD".equals(update.returnValuesOnConditionCheckFailureAsString()),
                true,
                before -> expression.apply(before == null ? update.key() : before));
    }

    /** Writes those items that the driver lets through; the others come back unprocessed. */
    public BatchWriteItemResponse batchWriteItem(BatchWriteItemRequest request, Predicate<WriteRequest> letThrough) {
        Map<String, List<WriteRequest>> left = new LinkedHashMap<>();
        List<Runnable> writes = new ArrayList<>();
        int count = 0;
        Set<Map.Entry<String, Table.Key>> keys = new HashSet<>();
        for (Map.Entry<String, List<WriteRequest>> ofTable :
                request.requestItems().entrySet()) {
            Table table = table(ofTable.getKey());
            for (WriteRequest write : ofTable.getValue()) {
                count++;
                boolean put = write.putRequest() != null;
                Table.Key key = put
                        ? table.keyOf(write.putRequest().item())
                        : table.exactKey(write.deleteRequest().key());
                if (!keys.add(Map.entry(table.name(), key))) {
                    throw Errors.validation("Provided list of item keys contains duplicates");
                }
                @Nullable
                Map<String, AttributeValue> item =
                        checked(table, key, put ? write.putRequest().item() : null);
                if (letThrough.test(write)) {
                    writes.add(() -> store(table, key, item));
                } else {
                    left.computeIfAbsent(table.name(), name -> new ArrayList<>())
                            .add(write);
                }
            }
        }
        if (count == 0 || count > MAX_BATCH_WRITES) {
            throw Errors.validation("Too many items requested for the BatchWriteItem call");
        }
        writes.forEach(Runnable::run);
        return BatchWriteItemResponse.builder().unprocessedItems(left).build();
    }

    /** Reads those items that the driver lets through; the others come back unprocessed. */
    public BatchGetItemResponse batchGetItem(
            BatchGetItemRequest request, Predicate<Map<String, AttributeValue>> letThrough) {
        Map<String, List<Map<String, AttributeValue>>> found = new LinkedHashMap<>();
        Map<String, KeysAndAttributes> left = new LinkedHashMap<>();
        int count = 0;
        for (Map.Entry<String, KeysAndAttributes> ofTable :
                request.requestItems().entrySet()) {
            Table table = table(ofTable.getKey());
            List<Map<String, AttributeValue>> items = new ArrayList<>();
            List<Map<String, AttributeValue>> unprocessed = new ArrayList<>();
            Set<Table.Key> keys = new HashSet<>();
            for (Map<String, AttributeValue> given : ofTable.getValue().keys()) {
                count++;
                Table.Key key = table.exactKey(given);
                if (!keys.add(key)) {
                    throw Errors.validation("Provided list of item keys contains duplicates");
                }
                if (!letThrough.test(given)) {
                    unprocessed.add(given);
                    continue;
                }
                @Nullable Map<String, AttributeValue> item = table.items().get(key);
                if (item != null) {
                    items.add(project(
                            item,
                            ofTable.getValue().projectionExpression(),
                            ofTable.getValue().expressionAttributeNames()));
                }
            }
            found.put(table.name(), items);
            if (!unprocessed.isEmpty()) {
                left.put(
                        table.name(),
                        ofTable.getValue().toBuilder().keys(unprocessed).build());
            }
        }
        if (count == 0 || count > MAX_BATCH_READS) {
            throw Errors.validation("Too many items requested for the BatchGetItem call");
        }
        return BatchGetItemResponse.builder()
                .responses(found)
                .unprocessedKeys(left)
                .build();
    }
}
