package io.varve.store.engine;

import static io.varve.store.engine.EngineTable.item;
import static io.varve.store.engine.EngineTable.key;
import static io.varve.store.engine.EngineTable.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.varve.testkit.internal.engine.DynamoDBEngine;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** Conditions, and transactions with their reasons, old items and tokens. */
abstract class EngineWritesContract {
    private static final String NEW = "attribute_not_exists(par)";

    private final DynamoDbAsyncClient client;
    private final EngineTable table;

    EngineWritesContract(DynamoDBEngine engine) {
        this.client = TestEngine.of(engine).client();
        this.table = EngineTable.create(client);
    }

    @Test
    void failedCondition_changesNothingAndReturnsTheOldItem() {
        Map<String, AttributeValue> old = item("a", 1, 3);
        table.putUnless(NEW, old);
        Throwable failure = catchThrowable(() -> client.putItem(put -> put.tableName(table.name())
                        .item(item("a", 1, 4))
                        .conditionExpression(NEW)
                        .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD))
                .join());
        assertThat(failure)
                .cause()
                .isInstanceOfSatisfying(
                        ConditionalCheckFailedException.class,
                        e -> assertThat(e.item()).isEqualTo(old));
        assertThat(table.get("a", 1)).isEqualTo(old);
    }

    @Test
    void failedConditionOnAMissingItem_returnsNone() {
        Throwable failure = catchThrowable(() -> client.deleteItem(delete -> delete.tableName(table.name())
                        .key(key("a", 1))
                        .conditionExpression("attribute_exists(par)")
                        .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD))
                .join());
        assertThat(failure)
                .cause()
                .isInstanceOfSatisfying(
                        ConditionalCheckFailedException.class,
                        e -> assertThat(e.hasItem()).isFalse());
    }

    @Test
    void comparisonWithAnAttributeThatIsNotThere_isFalse_unlessItIsNotEqual() {
        table.put(item("a", 1, 1));
        assertThat(update("absent_ < :one")).isEqualTo("ConditionalCheckFailedException");
        assertThat(update("absent_ = :one")).isEqualTo("ConditionalCheckFailedException");
        assertThat(update("absent_ <> :one")).isEqualTo("none");
        assertThat(update("attribute_not_exists(absent_) OR absent_ = :one")).isEqualTo("none");
    }

    private String update(String condition) {
        return TestEngine.errorOf(() -> client.updateItem(update -> update.tableName(table.name())
                        .key(key("a", 1))
                        .updateExpression("SET seen = :one")
                        .conditionExpression(condition)
                        .expressionAttributeValues(Map.of(":one", AttributeValue.fromN("1"))))
                .join());
    }

    @Test
    void cancelledTransaction_hasAReasonForEachActionInOrder_andChangesNothing() {
        Map<String, AttributeValue> old = item("a", 2, 3);
        table.put(old);
        table.put(item("a", 3, 3));
        Throwable failure = catchThrowable(() -> table.transact(
                table.putAction(item("a", 1, 9)),
                table.putAction(
                        item("a", 2, 9),
                        put -> put.conditionExpression(NEW)
                                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)),
                table.putAction(item("a", 3, 9), put -> put.conditionExpression(NEW)),
                table.putAction(item("a", 4, 9), put -> put.conditionExpression(NEW))));
        assertThat(failure).cause().isInstanceOfSatisfying(TransactionCanceledException.class, e -> {
            List<CancellationReason> reasons = e.cancellationReasons();
            assertThat(reasons)
                    .extracting(CancellationReason::code)
                    .containsExactly("None", "ConditionalCheckFailed", "ConditionalCheckFailed", "None");
            assertThat(reasons.get(1).item()).isEqualTo(old);
            assertThat(reasons.get(2).hasItem()).isFalse();
        });
        assertThat(table.get("a", 1)).isEmpty();
        assertThat(table.get("a", 2)).isEqualTo(old);
    }

    @Test
    void twoActionsOnOneItem_areRefused() {
        TransactWriteItem delete = TransactWriteItem.builder()
                .delete(action -> action.tableName(table.name()).key(key("a", 1)))
                .build();
        assertThat(TestEngine.errorOf(() -> table.transact(table.putAction(item("a", 1, 1)), delete)))
                .isEqualTo("ValidationException");
    }

    @Test
    void hundredActions_areOneTransaction_andOneMoreIsRefused() {
        TransactWriteItem[] actions = IntStream.rangeClosed(0, 100)
                .mapToObj(number -> table.putAction(item("a", number, 1)))
                .toArray(TransactWriteItem[]::new);
        assertThat(TestEngine.errorOf(() -> table.transact(actions))).isEqualTo("ValidationException");
        assertThat(table.get("a", 0)).isEmpty();
        table.transact(List.of(actions).subList(0, 100).toArray(TransactWriteItem[]::new));
        assertThat(table.get("a", 99)).isNotEmpty();
    }

    @Test
    void repeatedToken_succeedsWithoutEffect_andRefusesAnotherContent() {
        withToken(item("a", 1, 1));
        table.put(item("a", 1, 2));
        withToken(item("a", 1, 1));
        assertThat(table.get("a", 1)).isEqualTo(item("a", 1, 2));
        assertThat(TestEngine.errorOf(() -> withToken(item("a", 1, 3))))
                .isEqualTo("IdempotentParameterMismatchException");
    }

    private void withToken(Map<String, AttributeValue> item) {
        client.transactWriteItems(
                        request -> request.transactItems(table.putAction(item)).clientRequestToken(table.token()))
                .join();
    }

    @Test
    void batch_replacesAndRefusesAKeyTwice() {
        table.put(item("a", 1, 1));
        table.batch(List.of(item("a", 1, 2), item("a", 2, 2)));
        assertThat(table.get("a", 1)).isEqualTo(item("a", 1, 2));
        assertThat(TestEngine.errorOf(() -> table.batch(List.of(item("a", 1, 1), item("a", 1, 2)))))
                .isEqualTo("ValidationException");
        assertThat(TestEngine.errorOf(() -> table.batch(IntStream.rangeClosed(1, 26)
                        .mapToObj(number -> item("a", number, 1))
                        .toList())))
                .isEqualTo("ValidationException");
    }

    @Test
    void numbersKeepTheirValue_andSetsWithoutElementsVanish() {
        client.updateItem(update -> update.tableName(table.name())
                        .key(key("a", 1))
                        .updateExpression("ADD tags :tags, largest :largest")
                        .expressionAttributeValues(Map.of(
                                ":tags",
                                AttributeValue.fromSs(List.of("red")),
                                ":largest",
                                AttributeValue.fromN(Long.toString(Long.MAX_VALUE)))))
                .join();
        assertThat(table.get("a", 1)).containsEntry("largest", AttributeValue.fromN("9223372036854775807"));
        client.updateItem(update -> update.tableName(table.name())
                        .key(key("a", 1))
                        .updateExpression("DELETE tags :tags SET named = :name")
                        .expressionAttributeValues(
                                Map.of(":tags", AttributeValue.fromSs(List.of("red")), ":name", text("n"))))
                .join();
        assertThat(table.get("a", 1)).doesNotContainKey("tags").containsEntry("named", text("n"));
    }
}
