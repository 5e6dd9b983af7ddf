package io.varve.testkit;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The definitions of the tables that requests named so far. */
final class TableDefinitions {

    private final Map<String, TableDefinition> known = new ConcurrentHashMap<>();

    TableDefinition find(String table) {
        return known.getOrDefault(table, TableDefinition.UNKNOWN);
    }

    void forgetAll() {
        known.clear();
    }

    /** Describes the tables that are not known yet. */
    CompletableFuture<?> learn(List<String> tables, Backend backend, HttpCall call) {
        CompletableFuture<?> learnt = CompletableFuture.completedFuture("known");
        for (String table : tables) {
            if (!known.containsKey(table)) {
                learnt = learnt.thenCompose(before -> describe(table, backend, call));
            }
        }
        return learnt;
    }

    private CompletableFuture<?> describe(String table, Backend backend, HttpCall call) {
        return backend.send(call.withOperation("DescribeTable", Json.write(Map.of("TableName", table))))
                .thenAccept(answer -> {
                    TableDefinition definition = TableDefinition.of(answer.json());
                    if (!definition.keyAttributes().isEmpty()) {
                        known.put(table, definition);
                    }
                });
    }
}
