package io.varve.simulation.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.simulation.model.Engine.Indexing;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.TableNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndex;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** The same random requests to the model and to DynamoDB Local get the same answers. {@code -Dvarve.engine-requests=N} for more. */
@DynamoDBTest
class EngineComparisonTest {
    private static final int REQUESTS = Integer.getInteger("varve.engine-requests", 6_000);
    private static final List<String> CONDITIONS = List.of(
            "attribute_not_exists(par)",
            "attribute_exists(par)",
            "seq < :v",
            "attribute_not_exists(seq) OR seq < :v",
            "seq = :v AND NOT ts > :v",
            "seq <> :v",
            "seq BETWEEN :v AND :w",
            "seq IN (:v, :w)",
            "NOT (attribute_exists(par) AND seq >= :v)",
            "size(tags) < :w",
            "attribute_not_exists(tags) OR contains(tags, :s)",
            "begins_with(name_, :s)");
    private static final List<String> UPDATES = List.of(
            "SET seq = :v",
            "SET seq = if_not_exists(seq, :v), name_ = :s",
            "SET ts = :w REMOVE seq",
            "ADD tags :set",
            "DELETE tags :set",
            "ADD seq :v",
            "SET seq = seq + :v",
            "SET shard_ = :s, ts = :v");

    private final DynamoDbAsyncClient local;
    private final String table;
    private final Engine model = new Engine(Indexing.AT_ONCE);
    private Random random = new Random(0);

    EngineComparisonTest(DynamoDbAsyncClient local, TableNames names) {
        this.local = local;
        this.table = names.journal();
    }

    @Test
    void modelAndDynamoDBLocal_answerAlike() {
        CreateTableRequest definition = definition();
        local.createTable(definition).join();
        model.createTable(definition);
        for (int n = 0; n < REQUESTS; n++) {
            random = new Random(n);
            try {
                compare();
            } catch (AssertionError e) {
                throw new AssertionError("request " + n, e);
            }
        }
        assertThat(model.items(table)).isNotEmpty();
    }

    private void compare() {
        switch (random.nextInt(9)) {
            case 0 -> put();
            case 1 -> update();
            case 2 -> delete();
            case 3 -> transaction();
            case 4 -> batchWrite();
            case 5 -> batchGet();
            case 6 -> get();
            case 7 -> query();
            default -> queryIndex();
        }
    }

    private void same(Supplier<Object> ofModel, Supplier<Object> ofLocal, Object request) {
        assertThat(outcome(ofModel)).as(() -> String.valueOf(request)).isEqualTo(outcome(ofLocal));
    }

    /** An answer, or what an error says that programs react to. */
    private static Object outcome(Supplier<Object> call) {
        try {
            return call.get();
        } catch (CompletionException e) {
            return error(Objects.requireNonNull(e.getCause()));
        } catch (AwsServiceException e) {
            return error(e);
        }
    }

    private static Object error(Throwable thrown) {
        if (thrown instanceof ConditionalCheckFailedException failed) {
            return List.of("condition", failed.hasItem() ? plain(failed.item()) : "none");
        }
        if (thrown instanceof TransactionCanceledException cancelled) {
            return cancelled.cancellationReasons().stream()
                    .map(reason -> List.of(reason.code(), reason.hasItem() ? plain(reason.item()) : "none"))
                    .toList();
        }
        return ((AwsServiceException) thrown).awsErrorDetails().errorCode();
    }

    /** An item without what differs in writing only: the order of sets. */
    private static Map<String, Object> plain(Map<String, AttributeValue> item) {
        Map<String, Object> plain = new HashMap<>();
        item.forEach((name, value) ->
                plain.put(name, value.hasSs() ? value.ss().stream().sorted().toList() : value.toString()));
        return plain;
    }

    private static List<Map<String, Object>> plain(List<Map<String, AttributeValue>> items) {
        return items.stream().map(EngineComparisonTest::plain).toList();
    }

    private void put() {
        PutItemRequest.Builder put = PutItemRequest.builder().tableName(table).item(item());
        if (random.nextBoolean()) {
            String condition = any(CONDITIONS);
            put.conditionExpression(condition)
                    .expressionAttributeValues(values(condition))
                    .returnValuesOnConditionCheckFailure(returned());
        }
        PutItemRequest request = put.build();
        same(
                () -> {
                    model.putItem(request);
                    return "done";
                },
                () -> {
                    local.putItem(request).join();
                    return "done";
                },
                request);
    }

    private void update() {
        String update = any(UPDATES);
        @Nullable String condition = random.nextBoolean() ? any(CONDITIONS) : null;
        UpdateItemRequest request = UpdateItemRequest.builder()
                .tableName(table)
                .key(key())
                .updateExpression(update)
                .conditionExpression(condition)
                .expressionAttributeValues(values(update + " " + condition))
                .returnValuesOnConditionCheckFailure(returned())
                .build();
        same(
                () -> {
                    model.updateItem(request);
                    return "done";
                },
                () -> {
                    local.updateItem(request).join();
                    return "done";
                },
                request);
    }

    private void delete() {
        DeleteItemRequest.Builder delete =
                DeleteItemRequest.builder().tableName(table).key(key());
        if (random.nextBoolean()) {
            String condition = any(CONDITIONS);
            delete.conditionExpression(condition).expressionAttributeValues(values(condition));
        }
        DeleteItemRequest request = delete.build();
        same(
                () -> {
                    model.deleteItem(request);
                    return "done";
                },
                () -> {
                    local.deleteItem(request).join();
                    return "done";
                },
                request);
    }

    private void transaction() {
        // DynamoDB Local does not always see that two actions are on one item, so here no two are.
        Set<Map<String, AttributeValue>> taken = new HashSet<>();
        List<TransactWriteItem> actions = new ArrayList<>();
        int size = 1 + random.nextInt(4);
        for (int i = 0; i < size; i++) {
            Map<String, AttributeValue> key = key();
            if (!taken.add(key)) {
                continue;
            }
            Map<String, AttributeValue> item = new HashMap<>(item());
            item.putAll(key);
            String condition = any(CONDITIONS);
            TransactWriteItem.Builder action = TransactWriteItem.builder();
            switch (random.nextInt(4)) {
                case 0 ->
                    action.put(p -> p.tableName(table)
                            .item(item)
                            .conditionExpression(condition)
                            .expressionAttributeValues(values(condition))
                            .returnValuesOnConditionCheckFailure(returned()));
                case 1 ->
                    action.delete(d -> d.tableName(table)
                            .key(key)
                            .conditionExpression(condition)
                            .expressionAttributeValues(values(condition)));
                case 2 ->
                    action.conditionCheck(c -> c.tableName(table)
                            .key(key)
                            .conditionExpression(condition)
                            .expressionAttributeValues(values(condition))
                            .returnValuesOnConditionCheckFailure(returned()));
                default -> {
                    String update = any(UPDATES.subList(0, 5));
                    action.update(u -> u.tableName(table)
                            .key(key)
                            .updateExpression(update)
                            .expressionAttributeValues(values(update)));
                }
            }
            actions.add(action.build());
        }
        boolean token = random.nextInt(5) == 0;
        TransactWriteItemsRequest sent = TransactWriteItemsRequest.builder()
                .transactItems(actions)
                .clientRequestToken(token ? "token-" + random.nextInt(1_000_000) : null)
                .build();
        int times = token ? 2 : 1;
        for (int i = 0; i < times; i++) {
            same(
                    () -> {
                        model.transactWriteItems(sent);
                        return "done";
                    },
                    () -> {
                        local.transactWriteItems(sent).join();
                        return "done";
                    },
                    sent);
        }
    }

    private void batchWrite() {
        List<WriteRequest> writes = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(5); i++) {
            writes.add(
                    random.nextBoolean()
                            ? WriteRequest.builder()
                                    .putRequest(p -> p.item(item()))
                                    .build()
                            : WriteRequest.builder()
                                    .deleteRequest(d -> d.key(key()))
                                    .build());
        }
        BatchWriteItemRequest request = BatchWriteItemRequest.builder()
                .requestItems(Map.of(table, writes))
                .build();
        same(
                () -> model.batchWriteItem(request, write -> true).unprocessedItems(),
                () -> local.batchWriteItem(request).join().unprocessedItems(),
                request);
    }

    private void batchGet() {
        List<Map<String, AttributeValue>> keys = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(6); i++) {
            keys.add(key());
        }
        BatchGetItemRequest request = BatchGetItemRequest.builder()
                .requestItems(Map.of(
                        table,
                        KeysAndAttributes.builder()
                                .keys(keys)
                                .consistentRead(true)
                                .build()))
                .build();
        same(
                () -> sorted(
                        model.batchGetItem(request, key -> true).responses().getOrDefault(table, List.of())),
                () -> sorted(local.batchGetItem(request).join().responses().getOrDefault(table, List.of())),
                request);
    }

    private static List<Map<String, Object>> sorted(List<Map<String, AttributeValue>> items) {
        return plain(items).stream()
                .sorted((a, b) -> a.toString().compareTo(b.toString()))
                .toList();
    }

    private void get() {
        GetItemRequest request = GetItemRequest.builder()
                .tableName(table)
                .key(key())
                .consistentRead(true)
                .projectionExpression(random.nextBoolean() ? "par, seq" : null)
                .build();
        same(
                () -> plain(model.getItem(request).item()),
                () -> plain(local.getItem(request).join().item()),
                request);
    }

    private void query() {
        String bounds = any(List.of(
                "", " AND num >= :from", " AND num <= :to", " AND num BETWEEN :from AND :to", " AND num = :from"));
        Map<String, AttributeValue> values = new HashMap<>();
        values.put(":par", text("p" + random.nextInt(3)));
        if (bounds.contains(":from")) {
            values.put(":from", number(random.nextInt(12)));
        }
        if (bounds.contains(":to")) {
            values.put(":to", number(12 + random.nextInt(12)));
        }
        QueryRequest request = QueryRequest.builder()
                .tableName(table)
                .keyConditionExpression("par = :par" + bounds)
                .expressionAttributeValues(values)
                .scanIndexForward(random.nextBoolean())
                .limit(random.nextBoolean() ? 1 + random.nextInt(5) : null)
                .consistentRead(true)
                .build();
        samePages(request);
    }

    private void queryIndex() {
        QueryRequest request = QueryRequest.builder()
                .tableName(table)
                .indexName("by-time")
                .keyConditionExpression("shard_ = :shard AND ts BETWEEN :from AND :to")
                .expressionAttributeValues(Map.of(
                        ":shard", text(any(List.of("a", "b"))),
                        ":from", number(random.nextInt(8)),
                        ":to", number(8 + random.nextInt(20))))
                .build();
        same(
                () -> sorted(page(request).items()),
                () -> sorted(local.query(request).join().items()),
                request);
    }

    /**
     * All pages of a query. At the end of what is asked for, DynamoDB may or may not say that there could be more; the model always
     * does if the limit is reached, and then has an empty page.
     */
    private void samePages(QueryRequest first) {
        QueryRequest request = first;
        boolean ended = false;
        while (true) {
            QueryRequest asked = request;
            QueryResponse page = page(asked);
            if (ended) {
                assertThat(page.items()).isEmpty();
            } else {
                QueryResponse response = local.query(asked).join();
                assertThat(plain(page.items())).as(asked::toString).isEqualTo(plain(response.items()));
                ended = !response.hasLastEvaluatedKey();
                if (!ended) {
                    assertThat(plain(page.lastEvaluatedKey())).isEqualTo(plain(response.lastEvaluatedKey()));
                }
            }
            if (!page.hasLastEvaluatedKey()) {
                assertThat(ended).isTrue();
                return;
            }
            request =
                    first.toBuilder().exclusiveStartKey(page.lastEvaluatedKey()).build();
        }
    }

    private QueryResponse page(QueryRequest request) {
        Read read = model.query(request);
        while (read.step()) {
            assertThat(read.bytes()).isPositive();
        }
        return read.queryResponse();
    }

    private Map<String, AttributeValue> key() {
        return Map.of("par", text("p" + random.nextInt(3)), "num", number(random.nextInt(20)));
    }

    private Map<String, AttributeValue> item() {
        Map<String, AttributeValue> item = new HashMap<>(key());
        if (random.nextBoolean()) {
            item.put("seq", number(random.nextInt(5)));
        }
        if (random.nextBoolean()) {
            item.put("ts", number(random.nextInt(20)));
            item.put("shard_", text(any(List.of("a", "b"))));
        }
        if (random.nextInt(3) == 0) {
            item.put("tags", AttributeValue.fromSs(List.of("red", "blue")));
        }
        if (random.nextInt(3) == 0) {
            item.put("name_", text(any(List.of("redder", "blue"))));
        }
        return item;
    }

    private @Nullable Map<String, AttributeValue> values(String expression) {
        Map<String, AttributeValue> values = new HashMap<>();
        put(values, expression, ":v", number(random.nextInt(5)));
        put(values, expression, ":w", number(2 + random.nextInt(5)));
        put(values, expression, ":s", text("red"));
        put(values, expression, ":set", AttributeValue.fromSs(List.of("red", "green")));
        return values.isEmpty() ? null : values;
    }

    private static void put(Map<String, AttributeValue> values, String expression, String name, AttributeValue value) {
        if (Pattern.compile(name + "\\b").matcher(expression).find()) {
            values.put(name, value);
        }
    }

    private ReturnValuesOnConditionCheckFailure returned() {
        return random.nextBoolean()
                ? ReturnValuesOnConditionCheckFailure.ALL_OLD
                : ReturnValuesOnConditionCheckFailure.NONE;
    }

    private <T> T any(List<T> among) {
        return among.get(random.nextInt(among.size()));
    }

    private static AttributeValue number(long number) {
        return AttributeValue.fromN(Long.toString(number));
    }

    private static AttributeValue text(String text) {
        return AttributeValue.fromS(text);
    }

    private CreateTableRequest definition() {
        return CreateTableRequest.builder()
                .tableName(table)
                .billingMode(BillingMode.PAY_PER_REQUEST)
                .attributeDefinitions(
                        attribute("par", ScalarAttributeType.S),
                        attribute("num", ScalarAttributeType.N),
                        attribute("shard_", ScalarAttributeType.S),
                        attribute("ts", ScalarAttributeType.N))
                .keySchema(schema("par", "num"))
                .globalSecondaryIndexes(GlobalSecondaryIndex.builder()
                        .indexName("by-time")
                        .keySchema(schema("shard_", "ts"))
                        .projection(p -> p.projectionType(ProjectionType.ALL))
                        .build())
                .build();
    }

    private static AttributeDefinition attribute(String name, ScalarAttributeType type) {
        return AttributeDefinition.builder()
                .attributeName(name)
                .attributeType(type)
                .build();
    }

    private static List<KeySchemaElement> schema(String hash, String sort) {
        return List.of(
                KeySchemaElement.builder()
                        .attributeName(hash)
                        .keyType(KeyType.HASH)
                        .build(),
                KeySchemaElement.builder()
                        .attributeName(sort)
                        .keyType(KeyType.RANGE)
                        .build());
    }
}
