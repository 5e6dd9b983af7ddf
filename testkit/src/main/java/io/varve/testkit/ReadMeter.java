package io.varve.testkit;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import software.amazon.awssdk.protocols.jsoncore.JsonNode;

/**
 * Forwards reads and computes their capacity from the items in the answer.
 *
 * <p>Where a projection, a filter or a count hides the items' sizes, the backend is asked for its own figure, which is right but for the
 * minimum that AWS charges.
 */
final class ReadMeter {

    private static final int UNIT = 4096;
    private static final String REPORT = "ReturnConsumedCapacity";
    private static final List<String> HIDING =
            List.of("ProjectionExpression", "AttributesToGet", "FilterExpression", "QueryFilter", "ScanFilter");

    private final DynamoDBRequest request;
    private final TableDefinitions definitions;
    private final boolean hidden;

    ReadMeter(DynamoDBRequest request, TableDefinitions definitions) {
        this.request = request;
        this.definitions = definitions;
        JsonNode body = request.body();
        this.hidden = Stream.concat(Stream.of(body), Json.object(body, "RequestItems").values().stream())
                        .anyMatch(part -> HIDING.stream()
                                .anyMatch(name -> part.field(name).isPresent()))
                || List.of("COUNT", "SPECIFIC_ATTRIBUTES").contains(Json.text(body, "Select"));
    }

    static boolean reads(String operation) {
        return List.of("GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan")
                .contains(operation);
    }

    CompletableFuture<Metered> forward(Backend backend, HttpCall call, UnaryOperator<HttpAnswer> change) {
        String asked = Json.text(request.body(), REPORT);
        boolean ask = hidden && (asked.isEmpty() || asked.equals("NONE"));
        return backend.send(ask ? asking(call) : call).thenApply(change).thenApply(answer -> {
            JsonNode json = answer.json();
            Capacity capacity = answer.status() == 200 ? new Capacity(0, 0, units(json)) : Capacity.NONE;
            return new Metered(ask ? withoutReport(answer, json) : answer, items(json), capacity);
        });
    }

    private HttpCall asking(HttpCall call) {
        Map<String, Object> body = new LinkedHashMap<>(request.body().asObject());
        body.put(REPORT, "TOTAL");
        return call.withBody(Json.write(body));
    }

    private static HttpAnswer withoutReport(HttpAnswer answer, JsonNode json) {
        Map<String, Object> body = new LinkedHashMap<>(json.asObject());
        return body.remove("ConsumedCapacity") == null ? answer : answer.withJson(body);
    }

    private int items(JsonNode json) {
        return json.field("Count")
                .map(count -> Integer.parseInt(count.asNumber()))
                .orElse(request.items());
    }

    private double units(JsonNode json) {
        return switch (request.operation()) {
            case "GetItem" -> Math.max(reported(json), half(rounded(Json.object(json, "Item")), request.body()));
            case "TransactGetItems" ->
                2.0
                        * Json.array(json, "Responses").stream()
                                .mapToInt(response -> rounded(Json.object(response, "Item")))
                                .sum();
            case "BatchGetItem" -> ofBatch(json);
            default -> ofQuery(json);
        };
    }

    private double ofBatch(JsonNode json) {
        double sum = 0;
        Map<String, JsonNode> responses = Json.object(json, "Responses");
        for (Map.Entry<String, JsonNode> table :
                Json.object(request.body(), "RequestItems").entrySet()) {
            JsonNode items = responses.get(table.getKey());
            List<JsonNode> found = items == null ? List.of() : items.asArray();
            int missing = Json.array(table.getValue(), "Keys").size() - found.size();
            int whole =
                    found.stream().mapToInt(item -> rounded(item.asObject())).sum();
            sum += half(missing + (hidden ? 0 : whole), table.getValue());
        }
        return sum + reported(json);
    }

    private double ofQuery(JsonNode json) {
        int bytes = Json.array(json, "Items").stream()
                .mapToInt(item -> ItemSize.ofJson(item.asObject()))
                .sum();
        boolean global = definitions
                .find(Json.text(request.body(), "TableName"))
                .isGlobal(Json.text(request.body(), "IndexName"));
        int whole = hidden ? 1 : Math.max(1, (bytes + UNIT - 1) / UNIT);
        return Math.max(reported(json), global ? whole / 2.0 : half(whole, request.body()));
    }

    /** What the backend says, if its figure is needed. */
    private double reported(JsonNode json) {
        if (!hidden) {
            return 0;
        }
        return json
                .field("ConsumedCapacity")
                .map(report -> report.isArray() ? report.asArray() : List.of(report))
                .orElse(List.of())
                .stream()
                .mapToDouble(table -> table.field("CapacityUnits")
                        .map(units -> Double.parseDouble(units.asNumber()))
                        .orElse(0.0))
                .sum();
    }

    private static int rounded(Map<String, JsonNode> item) {
        return Math.max(1, (ItemSize.ofJson(item) + UNIT - 1) / UNIT);
    }

    private static double half(int units, JsonNode options) {
        return Json.isTrue(options, "ConsistentRead") ? units : units / 2.0;
    }
}
