package io.varve.testkit.internal.capacity;

import com.fasterxml.jackson.databind.JsonNode;
import io.varve.testkit.internal.http.Backend;
import io.varve.testkit.internal.http.HttpCall;
import io.varve.testkit.internal.json.LenientJson;
import io.varve.testkit.internal.request.ItemKey;
import io.varve.testkit.internal.request.KnownTables;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Reads items for the recorder, consistently, behind the client's back. */
public final class ItemReader {

    private static final int BATCH = 100;

    private final Backend backend;
    private final HttpCall call;
    private final KnownTables definitions;

    /** Reads on the connection and with the headers of a client. */
    public ItemReader(Backend backend, HttpCall call, KnownTables definitions) {
        this.backend = backend;
        this.call = call;
        this.definitions = definitions;
    }

    /** Adds what exists to the found items. */
    CompletableFuture<Map<ItemKey, Map<String, JsonNode>>> read(
            List<ItemKey> keys, Map<ItemKey, Map<String, JsonNode>> found) {
        List<ItemKey> distinct = keys.stream().distinct().toList();
        List<ItemKey> now = distinct.subList(0, Math.min(BATCH, distinct.size()));
        List<ItemKey> later = new ArrayList<>(distinct.subList(now.size(), distinct.size()));
        return backend.send(call.withOperation("BatchGetItem", body(now))).thenCompose(answer -> {
            JsonNode json = answer.json();
            LenientJson.object(json, "Responses")
                    .forEach((table, items) -> LenientJson.elements(items)
                            .forEach(item -> found.put(
                                    ItemKey.of(table, LenientJson.entries(item), definitions),
                                    LenientJson.entries(item))));
            LenientJson.object(json, "UnprocessedKeys")
                    .forEach((table, rest) -> LenientJson.array(rest, "Keys")
                            .forEach(key -> later.add(ItemKey.of(table, LenientJson.entries(key), definitions))));
            return later.isEmpty() ? CompletableFuture.completedFuture(found) : read(later, found);
        });
    }

    private static byte[] body(List<ItemKey> keys) {
        Map<String, List<Object>> byTable = new LinkedHashMap<>();
        keys.forEach(key ->
                byTable.computeIfAbsent(key.table(), table -> new ArrayList<>()).add(key.key()));
        Map<String, Object> requestItems = new LinkedHashMap<>();
        byTable.forEach((table, of) -> requestItems.put(table, Map.of("Keys", of, "ConsistentRead", true)));
        return LenientJson.write(Map.of("RequestItems", requestItems));
    }
}
