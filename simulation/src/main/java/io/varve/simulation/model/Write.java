package io.varve.simulation.model;

import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.Delete;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;

/**
 * One write, alone or as an action of a transaction.
 *
 * @param condition what must hold
 * @param returnsOld whether the item is returned where it does not hold
 * @param changes false if it only checks
 * @param change what stands there afterwards
 */
record Write(
        Table table,
        Key key,
        Predicate<Map<String, AttributeValue>> condition,
        boolean returnsOld,
        boolean changes,
        Change change) {

    /** From what stands there, if anything, to what does afterwards. */
    interface Change {
        @Nullable
        Map<String, AttributeValue> after(@Nullable Map<String, AttributeValue> before);
    }

    private static final String ALL_OLD = "ALL_OLD";

    /** What stands there now, if that is not what the condition asks for; nothing is an empty map. */
    @Nullable
    Map<String, AttributeValue> inTheWay() {
        Map<String, AttributeValue> before = before() == null ? Map.of() : before();
        return condition.test(before) ? null : before;
    }

    private @Nullable Map<String, AttributeValue> before() {
        @Nullable StoredItem item = table.items().get(key);
        return item == null ? null : item.attributes();
    }

    /** What stands there afterwards, if it may. */
    @Nullable
    StoredItem after() {
        @Nullable Map<String, AttributeValue> after = change.after(before());
        return after == null ? null : Storage.checked(table, key, after);
    }

    static Write of(Storage tables, PutItemRequest request) {
        Table table = tables.table(request.tableName());
        return new Write(
                table,
                table.keyOf(request.item()),
                Expression.parse(
                        request.conditionExpression(),
                        request.expressionAttributeNames(),
                        request.expressionAttributeValues()),
                ALL_OLD.equals(request.returnValuesOnConditionCheckFailureAsString()),
                true,
                before -> request.item());
    }

    static Write of(Storage tables, DeleteItemRequest request) {
        Table table = tables.table(request.tableName());
        return new Write(
                table,
                table.exactKey(request.key()),
                Expression.parse(
                        request.conditionExpression(),
                        request.expressionAttributeNames(),
                        request.expressionAttributeValues()),
                ALL_OLD.equals(request.returnValuesOnConditionCheckFailureAsString()),
                true,
                before -> null);
    }

    static Write of(Storage tables, UpdateItemRequest request) {
        Table table = tables.table(request.tableName());
        Update update = Update.parse(
                request.updateExpression(), request.expressionAttributeNames(), request.expressionAttributeValues());
        return new Write(
                table,
                table.exactKey(request.key()),
                Expression.parse(
                        request.conditionExpression(),
                        request.expressionAttributeNames(),
                        request.expressionAttributeValues()),
                ALL_OLD.equals(request.returnValuesOnConditionCheckFailureAsString()),
                true,
                before -> update.apply(before == null ? request.key() : before));
    }

    static Write of(Storage tables, TransactWriteItem action) {
        if (action.put() != null) {
            return put(tables, action.put());
        }
        if (action.delete() != null) {
            return delete(tables, action.delete());
        }
        return action.update() != null ? update(tables, action.update()) : check(tables, action.conditionCheck());
    }

    private static Write put(Storage tables, Put put) {
        Table table = tables.table(put.tableName());
        return new Write(
                table,
                table.keyOf(put.item()),
                Expression.parse(
                        put.conditionExpression(), put.expressionAttributeNames(), put.expressionAttributeValues()),
                ALL_OLD.equals(put.returnValuesOnConditionCheckFailureAsString()),
                true,
                before -> put.item());
    }

    private static Write delete(Storage tables, Delete delete) {
        Table table = tables.table(delete.tableName());
        return new Write(
                table,
                table.exactKey(delete.key()),
                Expression.parse(
                        delete.conditionExpression(),
                        delete.expressionAttributeNames(),
                        delete.expressionAttributeValues()),
                ALL_OLD.equals(delete.returnValuesOnConditionCheckFailureAsString()),
                true,
                before -> null);
    }

    private static Write update(Storage tables, software.amazon.awssdk.services.dynamodb.model.Update update) {
        Table table = tables.table(update.tableName());
        Update expression = Update.parse(
                update.updateExpression(), update.expressionAttributeNames(), update.expressionAttributeValues());
        return new Write(
                table,
                table.exactKey(update.key()),
                Expression.parse(
                        update.conditionExpression(),
                        update.expressionAttributeNames(),
                        update.expressionAttributeValues()),
                ALL_OLD.equals(update.returnValuesOnConditionCheckFailureAsString()),
                true,
                before -> expression.apply(before == null ? update.key() : before));
    }

    private static Write check(Storage tables, ConditionCheck check) {
        Table table = tables.table(check.tableName());
        return new Write(
                table,
                table.exactKey(check.key()),
                Expression.parse(
                        check.conditionExpression(),
                        check.expressionAttributeNames(),
                        check.expressionAttributeValues()),
                ALL_OLD.equals(check.returnValuesOnConditionCheckFailureAsString()),
                false,
                before -> before);
    }
}
