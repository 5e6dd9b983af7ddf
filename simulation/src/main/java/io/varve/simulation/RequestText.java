package io.varve.simulation;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbRequest;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** What a request is about, in short, for whoever reads the log. */
final class RequestText {
    private static final List<String> KEYS = List.of("par", "num", "name_slice", "pid");
    private static final int MOST = 3;

    private RequestText() {}

    static String of(DynamoDbRequest request) {
        if (request instanceof QueryRequest query) {
            return query.indexName() + " " + values(query.expressionAttributeValues());
        } else if (request instanceof GetItemRequest get) {
            return values(get.key());
        } else if (request instanceof PutItemRequest put) {
            return key(put.item());
        } else if (request instanceof BatchGetItemRequest batch) {
            return keys(batch.requestItems().values().stream()
                    .flatMap(wanted -> wanted.keys().stream())
                    .toList());
        } else if (request instanceof BatchWriteItemRequest batch) {
            return keys(batch.requestItems().values().stream()
                    .flatMap(List::stream)
                    .map(RequestText::item)
                    .toList());
        } else if (request instanceof TransactWriteItemsRequest transaction) {
            return keys(
                    transaction.transactItems().stream().map(RequestText::item).toList());
        }
        return "";
    }

    private static Map<String, AttributeValue> item(WriteRequest write) {
        return write.putRequest() != null
                ? write.putRequest().item()
                : write.deleteRequest().key();
    }

    private static Map<String, AttributeValue> item(TransactWriteItem action) {
        if (action.put() != null) {
            return action.put().item();
        }
        if (action.delete() != null) {
            return action.delete().key();
        }
        return action.update() != null
                ? action.update().key()
                : action.conditionCheck().key();
    }

    private static String keys(List<Map<String, AttributeValue>> items) {
        String some = items.stream().limit(MOST).map(RequestText::key).collect(Collectors.joining(", "));
        return items.size() > MOST ? some + " and " + (items.size() - MOST) + " more" : some;
    }

    private static String key(Map<String, AttributeValue> item) {
        Map<String, AttributeValue> key = new TreeMap<>(item);
        key.keySet().retainAll(KEYS);
        return values(key);
    }

    private static String values(Map<String, AttributeValue> values) {
        return new TreeMap<>(values)
                .values().stream()
                        .flatMap(value -> Stream.ofNullable(value.s() == null ? value.n() : value.s()))
                        .collect(Collectors.joining("/"));
    }
}
