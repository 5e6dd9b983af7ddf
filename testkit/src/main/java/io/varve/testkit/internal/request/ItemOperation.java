package io.varve.testkit.internal.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.varve.testkit.internal.json.LenientJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What one request does with one item; the attributes are the whole item of a put, otherwise the key; the condition has its names. */
public record ItemOperation(Kind kind, String table, Map<String, JsonNode> attributes, String condition) {

    /** What is done with the item. */
    public enum Kind {
        GET,
        PUT,
        UPDATE,
        DELETE,
        CHECK;

        /** Whether it changes or checks the item. */
        public boolean writes() {
            return this != GET;
        }
    }

    /** All that a request does with single items, in its order. */
    public static List<ItemOperation> in(String operation, JsonNode body) {
        return switch (operation) {
            case "GetItem" -> List.of(of(Kind.GET, body, "Key"));
            case "PutItem" -> List.of(of(Kind.PUT, body, "Item"));
            case "UpdateItem" -> List.of(of(Kind.UPDATE, body, "Key"));
            case "DeleteItem" -> List.of(of(Kind.DELETE, body, "Key"));
            case "BatchWriteItem" -> batchWrite(body);
            case "BatchGetItem" -> batchGet(body);
            case "TransactWriteItems", "TransactGetItems" ->
                LenientJson.array(body, "TransactItems").stream()
                        .flatMap(ItemOperation::ofTransaction)
                        .toList();
            default -> List.of();
        };
    }

    private static ItemOperation of(Kind kind, JsonNode request, String attributes) {
        return new ItemOperation(
                kind,
                LenientJson.text(request, "TableName"),
                LenientJson.object(request, attributes),
                condition(request));
    }

    private static String condition(JsonNode request) {
        String condition = LenientJson.text(request, "ConditionExpression");
        for (Map.Entry<String, JsonNode> name :
                LenientJson.object(request, "ExpressionAttributeNames").entrySet()) {
            condition = condition.replaceAll(
                    Pattern.quote(name.getKey()) + "\\b",
                    Matcher.quoteReplacement(name.getValue().asText()));
        }
        return condition;
    }

    private static Stream<ItemOperation> ofTransaction(JsonNode element) {
        return LenientJson.entries(element).entrySet().stream().map(action -> switch (action.getKey()) {
            case "Put" -> of(Kind.PUT, action.getValue(), "Item");
            case "Update" -> of(Kind.UPDATE, action.getValue(), "Key");
            case "Delete" -> of(Kind.DELETE, action.getValue(), "Key");
            case "ConditionCheck" -> of(Kind.CHECK, action.getValue(), "Key");
            default -> of(Kind.GET, action.getValue(), "Key");
        });
    }

    private static List<ItemOperation> batchWrite(JsonNode body) {
        List<ItemOperation> operations = new ArrayList<>();
        LenientJson.object(body, "RequestItems")
                .forEach((table, requests) -> LenientJson.elements(requests)
                        .forEach(request -> operations.add(ofBatchWrite(table, request))));
        return operations;
    }

    /** One element of a BatchWriteItem request. */
    public static ItemOperation ofBatchWrite(String table, JsonNode request) {
        return request.has("PutRequest")
                ? new ItemOperation(Kind.PUT, table, LenientJson.object(request.path("PutRequest"), "Item"), "")
                : new ItemOperation(Kind.DELETE, table, LenientJson.object(request.path("DeleteRequest"), "Key"), "");
    }

    private static List<ItemOperation> batchGet(JsonNode body) {
        List<ItemOperation> operations = new ArrayList<>();
        LenientJson.object(body, "RequestItems")
                .forEach((table, request) -> LenientJson.array(request, "Keys")
                        .forEach(key ->
                                operations.add(new ItemOperation(Kind.GET, table, LenientJson.entries(key), ""))));
        return operations;
    }
}
