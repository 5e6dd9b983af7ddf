package io.varve.example.shoppingcart;

import io.varve.store.client.StoreObserver;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Counts the requests to DynamoDB, those to the snapshot table apart. */
final class Costs implements StoreObserver {
    private final Map<String, Integer> requests = new TreeMap<>();
    private final String snapshotTable;

    Costs(String snapshotTable) {
        this.snapshotTable = snapshotTable;
    }

    @Override
    public synchronized void requested(Request request) {
        boolean snapshot = request.table().equals(snapshotTable);
        requests.merge(request.operation() + (snapshot ? " (snapshot)" : ""), 1, Integer::sum);
    }

    /** What was counted since the last call, in words. */
    synchronized String take() {
        String words = requests.entrySet().stream()
                .map(operation -> operation.getValue() + " " + operation.getKey())
                .collect(Collectors.joining(", "));
        requests.clear();
        return words;
    }
}
