package io.varve.testkit.internal.capacity;

import com.fasterxml.jackson.databind.JsonNode;
import io.varve.testkit.internal.http.Backend;
import io.varve.testkit.internal.http.HttpAnswer;
import io.varve.testkit.internal.http.HttpCall;
import io.varve.testkit.internal.json.LenientJson;
import io.varve.testkit.internal.request.ItemKey;
import io.varve.testkit.internal.request.KnownTables;
import io.varve.testkit.internal.request.ParsedRequest;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Forwards reads and computes their capacity from the items in the answer.
 *
 * <p>Items that a request names by their keys, and of which it wants only a part, are read as a whole. Where a projection, a filter or a
 * count hides the sizes of what a query or a scan reads, the backend is asked for its own figure, which is right but for the minimum
 * that AWS charges.
 */
public final class ReadMeter {

    private static final int UNIT = 4096;
    private static final String REPORT = "ReturnConsumedCapacity";
    private static final List<String> HIDING =
            List.of("ProjectionExpression", "AttributesToGet", "FilterExpression", "QueryFilter", "ScanFilter");

    private final ParsedRequest request;
    private final KnownTables definitions;
    private final ItemReader reader;
    private final boolean hidden;

    /** Meters one read. */
    public ReadMeter(ParsedRequest request, KnownTables definitions, ItemReader reader) {
        this.request = request;
        this.definitions = definitions;
        this.reader = reader;
        JsonNode body = request.body();
        this.hidden = Stream.concat(Stream.of(body), LenientJson.object(body, "RequestItems").values().stream())
                        .anyMatch(part -> HIDING.stream().anyMatch(part::has))
                || List.of("COUNT", "SPECIFIC_ATTRIBUTES").contains(LenientJson.text(body, "Select"));
    }

    /** Whether the operation is one that only reads. */
    public static boolean reads(String operation) {
        return List.of("GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan")
                .contains(operation);
    }

    /** Sends the call and meters its changed answer. */
    public CompletableFuture<Metered> forward(Backend backend, HttpCall call, UnaryOperator<HttpAnswer> change) {
        if (request.operation().equals("TransactGetItems")) {
            return forwardTransaction(backend, call, change);
        }
        if (hidden && request.items() > 0) {
            return forwardPart(backend, call, change);
        }
        String asked = LenientJson.text(request.body(), REPORT);
        boolean ask = hidden && (asked.isEmpty() || asked.equals("NONE"));
        return backend.send(ask ? asking(call) : call).thenApply(change).thenApply(answer -> {
            JsonNode json = answer.json();
            CapacityUnits capacity = answer.status() == 200 ? new CapacityUnits(0, 0, units(json)) : CapacityUnits.NONE;
            return new Metered(ask ? withoutReport(answer, json) : answer, items(json), capacity);
        });
    }

    /** Forwards a request for parts of items, and reads these as a whole. */
    private CompletableFuture<Metered> forwardPart(Backend backend, HttpCall call, UnaryOperator<HttpAnswer> change) {
        return backend.send(call).thenApply(change).thenCompose(answer -> {
            if (answer.status() != 200) {
                return CompletableFuture.completedFuture(new Metered(answer, request.items(), CapacityUnits.NONE));
            }
            Map<String, JsonNode> unprocessed = LenientJson.object(answer.json(), "UnprocessedKeys");
            List<ItemKey> keys = namedKeys().stream()
                    .filter(key ->
                            !keys(key.table(), unprocessed.get(key.table())).contains(key))
                    .toList();
            return reader.read(keys, new HashMap<>()).thenApply(found -> {
                double units = keys.stream()
                        .mapToDouble(key -> half(units(found.get(key)), options(key.table())))
                        .sum();
                return new Metered(answer, request.items(), new CapacityUnits(0, 0, units));
            });
        });
    }

    private List<ItemKey> namedKeys() {
        return request.itemOperations().stream()
                .map(get -> ItemKey.of(get.table(), get.attributes(), definitions))
                .toList();
    }

    /** Where a read says whether it is consistent. */
    private JsonNode options(String table) {
        return request.operation().equals("BatchGetItem")
                ? request.body().path("RequestItems").path(table)
                : request.body();
    }

    private CompletableFuture<Metered> forwardTransaction(
            Backend backend, HttpCall call, UnaryOperator<HttpAnswer> change) {
        return backend.send(call).thenApply(change).thenCompose(answer -> {
            if (answer.status() != 200) {
                return CompletableFuture.completedFuture(new Metered(answer, request.items(), CapacityUnits.NONE));
            }
            return ofTransaction(answer.json())
                    .thenApply(units -> new Metered(answer, request.items(), new CapacityUnits(0, 0, 2 * units)));
        });
    }

    private CompletableFuture<Integer> ofTransaction(JsonNode json) {
        boolean projected = LenientJson.array(request.body(), "TransactItems").stream()
                .anyMatch(item -> item.path("Get").has("ProjectionExpression"));
        if (!projected) {
            return CompletableFuture.completedFuture(LenientJson.array(json, "Responses").stream()
                    .mapToInt(response -> units(LenientJson.object(response, "Item")))
                    .sum());
        }
        List<ItemKey> keys = namedKeys();
        return reader.read(keys, new HashMap<>())
                .thenApply(found ->
                        keys.stream().mapToInt(key -> units(found.get(key))).sum());
    }

    private HttpCall asking(HttpCall call) {
        Map<String, Object> body = new LinkedHashMap<>(LenientJson.entries(request.body()));
        body.put(REPORT, "TOTAL");
        return call.withBody(LenientJson.write(body));
    }

    private static HttpAnswer withoutReport(HttpAnswer answer, JsonNode json) {
        Map<String, Object> body = new LinkedHashMap<>(LenientJson.entries(json));
        return body.remove("ConsumedCapacity") == null ? answer : answer.withJson(body);
    }

    private int items(JsonNode json) {
        return json.path("Count").asInt(request.items());
    }

    private double units(JsonNode json) {
        return switch (request.operation()) {
            case "GetItem" -> half(units(LenientJson.object(json, "Item")), request.body());
            case "BatchGetItem" -> ofBatch(json);
            default -> ofQuery(json);
        };
    }

    private double ofBatch(JsonNode json) {
        double sum = 0;
        Map<String, JsonNode> responses = LenientJson.object(json, "Responses");
        Map<String, JsonNode> unprocessedKeys = LenientJson.object(json, "UnprocessedKeys");
        for (Map.Entry<String, JsonNode> table :
                LenientJson.object(request.body(), "RequestItems").entrySet()) {
            JsonNode items = responses.get(table.getKey());
            List<JsonNode> found = items == null ? List.of() : LenientJson.elements(items);
            List<ItemKey> keys = keys(table.getKey(), table.getValue());
            List<ItemKey> unprocessed = keys(table.getKey(), unprocessedKeys.get(table.getKey()));
            long missing =
                    keys.stream().filter(key -> !unprocessed.contains(key)).count() - found.size();
            int whole = found.stream()
                    .mapToInt(item -> units(LenientJson.entries(item)))
                    .sum();
            sum += half(missing + whole, table.getValue());
        }
        return sum;
    }

    private List<ItemKey> keys(String table, @Nullable JsonNode keysAndOptions) {
        return keysAndOptions == null
                ? List.of()
                : LenientJson.array(keysAndOptions, "Keys").stream()
                        .map(key -> ItemKey.of(table, LenientJson.entries(key), definitions))
                        .toList();
    }

    private double ofQuery(JsonNode json) {
        int bytes = LenientJson.array(json, "Items").stream()
                .mapToInt(item -> ItemBytes.ofJson(LenientJson.entries(item)))
                .sum();
        boolean global = definitions
                .find(LenientJson.text(request.body(), "TableName"))
                .isGlobal(LenientJson.text(request.body(), "IndexName"));
        int whole = hidden ? 1 : Math.max(1, (bytes + UNIT - 1) / UNIT);
        return Math.max(reported(json), global ? whole / 2.0 : half(whole, request.body()));
    }

    /** What the backend says, if its figure is needed. */
    private double reported(JsonNode json) {
        if (!hidden) {
            return 0;
        }
        return json.path("ConsumedCapacity").path("CapacityUnits").doubleValue();
    }

    /** The units of reading one item consistently; a missing one costs one. */
    static int units(@Nullable Map<String, JsonNode> item) {
        int bytes = item == null ? 0 : ItemBytes.ofJson(item);
        return Math.max(1, (bytes + UNIT - 1) / UNIT);
    }

    private static double half(long units, JsonNode options) {
        return LenientJson.isTrue(options, "ConsistentRead") ? units : units / 2.0;
    }
}
