package io.varve.store.internal.append;

import io.varve.store.internal.layout.Attributes;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.table.JournalTable;
import java.util.HashMap;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionCheck;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** Builds the parts of requests that write events and marks. */
final class EventWrites {
    private static final String IF_FREE = "attribute_not_exists(" + Attributes.PARTITION + ")";

    private EventWrites() {}

    static PutItemRequest putIfFree(String table, Map<String, AttributeValue> item) {
        return PutItemRequest.builder()
                .tableName(table)
                .item(item)
                .conditionExpression(IF_FREE)
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)
                .build();
    }

    static TransactWriteItem transactPutIfFree(String table, Map<String, AttributeValue> item) {
        return TransactWriteItem.builder()
                .put(Put.builder()
                        .tableName(table)
                        .item(item)
                        .conditionExpression(IF_FREE)
                        .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)
                        .build())
                .build();
    }

    static TransactWriteItem transactPut(String table, Map<String, AttributeValue> item) {
        return TransactWriteItem.builder()
                .put(Put.builder().tableName(table).item(item).build())
                .build();
    }

    /** Puts a mark that has to go up; one that is already as high stays. */
    static PutItemRequest putIfHigher(String table, Map<String, AttributeValue> mark) {
        return PutItemRequest.builder()
                .tableName(table)
                .item(mark)
                .conditionExpression(IF_FREE + " OR " + Attributes.SEQUENCE_NUMBER + " < :seq")
                .expressionAttributeValues(Map.of(":seq", mark.get(Attributes.SEQUENCE_NUMBER)))
                .build();
    }

    static WriteRequest batchPut(Map<String, AttributeValue> item) {
        return WriteRequest.builder().putRequest(put -> put.item(item)).build();
    }

    /** That the first event of a chain is there and is this chain's. */
    static TransactWriteItem checkBatch(JournalTable table, EventItem first) {
        return TransactWriteItem.builder()
                .conditionCheck(ConditionCheck.builder()
                        .tableName(table.name())
                        .key(table.keys().eventKey(first.event().persistenceId(), first.sequenceNumber()))
                        .conditionExpression(Attributes.BATCH + " = :batch")
                        .expressionAttributeValues(Map.of(":batch", first.item().get(Attributes.BATCH)))
                        .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)
                        .build())
                .build();
    }

    /** The mark that a group has events. */
    static Map<String, AttributeValue> highMark(JournalTable table, String persistenceId, long group) {
        long start = JournalKeys.groupStart(group);
        Map<String, AttributeValue> mark = new HashMap<>(table.keys().highKey(persistenceId, table.markShard(start)));
        mark.put(Attributes.SEQUENCE_NUMBER, EventItems.number(start));
        return mark;
    }
}
