package io.varve.testkit.internal.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import io.varve.testkit.internal.http.HttpAnswer;
import io.varve.testkit.internal.json.AttributeValues;
import io.varve.testkit.internal.json.LenientJson;
import io.varve.testkit.internal.request.ItemOperation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Splits a batch: one part goes on, the other comes back as unprocessed, besides what others leave unprocessed. */
public final class UnprocessedBatch {

    private final boolean write;
    private final Map<String, JsonNode> requestItems;
    private final Map<String, List<JsonNode>> kept = new LinkedHashMap<>();
    private final Map<String, List<JsonNode>> returned = new LinkedHashMap<>();

    private UnprocessedBatch(boolean write, JsonNode body) {
        this.write = write;
        this.requestItems = LenientJson.object(body, "RequestItems");
    }

    /** Leaves the last so many items unprocessed. */
    public static void lastOf(int items, Exchange exchange, Runnable next) {
        String operation = exchange.request().operation();
        int[] before = {
            ItemOperation.in(operation, LenientJson.parse(exchange.body())).size() - items
        };
        split(element -> before[0]-- <= 0, exchange, next);
    }

    /** Leaves the accepted items unprocessed. */
    public static void where(Predicate<Map<String, AttributeValue>> accepts, Exchange exchange, Runnable next) {
        split(element -> accepts.test(AttributeValues.fromJson(element.attributes())), exchange, next);
    }

    private static void split(Predicate<ItemOperation> returns, Exchange exchange, Runnable next) {
        String operation = exchange.request().operation();
        if (!operation.equals("BatchWriteItem") && !operation.equals("BatchGetItem")) {
            next.run();
            return;
        }
        JsonNode body = LenientJson.parse(exchange.body());
        UnprocessedBatch batch = new UnprocessedBatch(operation.equals("BatchWriteItem"), body);
        batch.requestItems.forEach((table, value) -> batch.splitTable(table, value, returns));
        if (batch.returned.isEmpty()) {
            next.run();
            return;
        }
        exchange.changeAnswer(batch::addTo);
        if (batch.kept.isEmpty()) {
            exchange.answer(HttpAnswer.json(200, LenientJson.write(batch.emptyAnswer())));
        } else {
            Map<String, Object> reduced = new LinkedHashMap<>(LenientJson.entries(body));
            reduced.put("RequestItems", batch.withOptions(batch.kept));
            exchange.replaceBody(LenientJson.write(reduced));
            next.run();
        }
    }

    private void splitTable(String table, JsonNode value, Predicate<ItemOperation> returns) {
        for (JsonNode element : elements(value)) {
            ItemOperation operation = write
                    ? ItemOperation.ofBatchWrite(table, element)
                    : new ItemOperation(ItemOperation.Kind.GET, table, LenientJson.entries(element), "");
            (returns.test(operation) ? returned : kept)
                    .computeIfAbsent(table, first -> new ArrayList<>())
                    .add(element);
        }
    }

    private List<JsonNode> elements(@Nullable JsonNode ofTable) {
        if (ofTable == null) {
            return List.of();
        }
        return write ? LenientJson.elements(ofTable) : LenientJson.array(ofTable, "Keys");
    }

    /** The elements of each table as the request has them, with the options of its table. */
    private Map<String, Object> withOptions(Map<String, List<JsonNode>> part) {
        Map<String, Object> all = new LinkedHashMap<>();
        part.forEach((table, elements) -> {
            if (write) {
                all.put(table, elements);
            } else {
                Map<String, Object> keysAndOptions = new LinkedHashMap<>(options(table));
                keysAndOptions.put("Keys", elements);
                all.put(table, keysAndOptions);
            }
        });
        return all;
    }

    private Map<String, JsonNode> options(String table) {
        JsonNode options = requestItems.get(table);
        return options == null ? Map.of() : LenientJson.entries(options);
    }

    private String field() {
        return write ? "UnprocessedItems" : "UnprocessedKeys";
    }

    private Map<String, Object> emptyAnswer() {
        return write ? Map.of(field(), Map.of()) : Map.of("Responses", Map.of(), field(), Map.of());
    }

    private HttpAnswer addTo(HttpAnswer answer) {
        if (answer.status() != 200) {
            return answer;
        }
        JsonNode json = answer.json();
        Map<String, JsonNode> before = LenientJson.object(json, field());
        Map<String, List<JsonNode>> joined = new LinkedHashMap<>();
        returned.forEach((table, elements) -> {
            List<JsonNode> both = new ArrayList<>(elements(before.get(table)));
            both.addAll(elements);
            joined.put(table, both);
        });
        Map<String, Object> unprocessed = new LinkedHashMap<>(before);
        unprocessed.putAll(withOptions(joined));
        Map<String, Object> body = new LinkedHashMap<>(LenientJson.entries(json));
        body.put(field(), unprocessed);
        return answer.withJson(body);
    }
}
