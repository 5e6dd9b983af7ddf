package io.varve.testkit.internal.request;

import io.varve.testkit.internal.http.Backend;
import io.varve.testkit.internal.http.HttpCall;
import io.varve.testkit.internal.json.LenientJson;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The definitions of the tables that requests named so far. */
public final class KnownTables {

    private final Map<String, TableKeys> known = new ConcurrentHashMap<>();

    /** The keys of a table, unknown if no request named it yet. */
    public TableKeys find(String table) {
        return known.getOrDefault(table, TableKeys.UNKNOWN);
    }

    /** Forgets all, because a table changes. */
    public void forgetAll() {
        known.clear();
    }

    /** Describes the tables that are not known yet. */
    public CompletableFuture<?> learn(List<String> tables, Backend backend, HttpCall call) {
        CompletableFuture<?> learnt = CompletableFuture.completedFuture("known");
        for (String table : tables) {
            if (!known.containsKey(table)) {
                learnt = learnt.thenCompose(before -> describe(table, backend, call));
            }
        }
        return learnt;
    }

    private CompletableFuture<?> describe(String table, Backend backend, HttpCall call) {
        return backend.send(call.withOperation("DescribeTable", LenientJson.write(Map.of("TableName", table))))
                .thenAccept(answer -> {
                    TableKeys definition = TableKeys.of(answer.json());
                    if (!definition.keyAttributes().isEmpty()) {
                        known.put(table, definition);
                    }
                });
    }
}
