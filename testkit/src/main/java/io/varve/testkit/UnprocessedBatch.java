package io.varve.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import software.amazon.awssdk.protocols.jsoncore.JsonNode;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Splits a batch: one part goes on, the other comes back as unprocessed. */
final class UnprocessedBatch {

    private final boolean write;
    private final Map<String, JsonNode> requestItems;
    private final Map<String, Object> kept = new LinkedHashMap<>();
    private final Map<String, Object> returned = new LinkedHashMap<>();

    private UnprocessedBatch(DynamoDBRequest request) {
        this.write = request.operation().equals("BatchWriteItem");
        this.requestItems = Json.object(request.body(), "RequestItems");
    }

    static void lastOf(int items, Exchange exchange, Runnable next) {
        int[] before = {exchange.request().items() - items};
        split(element -> before[0]-- <= 0, exchange, next);
    }

    static void where(Predicate<Map<String, AttributeValue>> accepts, Exchange exchange, Runnable next) {
        split(element -> accepts.test(AttributeValues.fromJson(element.attributes())), exchange, next);
    }

    private static void split(Predicate<ItemOperation> returns, Exchange exchange, Runnable next) {
        String operation = exchange.request().operation();
        if (!operation.equals("BatchWriteItem") && !operation.equals("BatchGetItem")) {
            next.run();
            return;
        }
        UnprocessedBatch batch = new UnprocessedBatch(exchange.request());
        batch.requestItems.forEach((table, value) -> batch.splitTable(table, value, returns));
        if (batch.returned.isEmpty()) {
            next.run();
        } else if (batch.kept.isEmpty()) {
            exchange.answer(HttpAnswer.json(200, Json.write(batch.emptyAnswer())));
        } else {
            Map<String, Object> body =
                    new LinkedHashMap<>(exchange.request().body().asObject());
            body.put("RequestItems", batch.kept);
            exchange.changeAnswer(batch::addTo);
            exchange.replaceBody(Json.write(body));
            next.run();
        }
    }

    private void splitTable(String table, JsonNode value, Predicate<ItemOperation> returns) {
        List<JsonNode> keptHere = new ArrayList<>();
        List<JsonNode> returnedHere = new ArrayList<>();
        for (JsonNode element : write ? value.asArray() : Json.array(value, "Keys")) {
            ItemOperation operation = write
                    ? ItemOperation.ofBatchWrite(table, element)
                    : new ItemOperation(ItemOperation.Kind.GET, table, element.asObject(), "");
            (returns.test(operation) ? returnedHere : keptHere).add(element);
        }
        put(kept, table, value, keptHere);
        put(returned, table, value, returnedHere);
    }

    private void put(Map<String, Object> part, String table, JsonNode value, List<JsonNode> elements) {
        if (elements.isEmpty()) {
            return;
        }
        if (write) {
            part.put(table, elements);
        } else {
            Map<String, Object> keysAndOptions = new LinkedHashMap<>(value.asObject());
            keysAndOptions.put("Keys", elements);
            part.put(table, keysAndOptions);
        }
    }

    private String field() {
        return write ? "UnprocessedItems" : "UnprocessedKeys";
    }

    private Map<String, Object> emptyAnswer() {
        return write ? Map.of(field(), returned) : Map.of("Responses", Map.of(), field(), returned);
    }

    private HttpAnswer addTo(HttpAnswer answer) {
        if (answer.status() != 200) {
            return answer;
        }
        Map<String, Object> body = new LinkedHashMap<>(answer.json().asObject());
        body.put(field(), returned);
        return answer.withJson(body);
    }
}
