package io.varve.example.shoppingcart;

import io.varve.store.client.StoreObserver;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Counts the requests to DynamoDB and the capacity units that it reports for them. */
final class Costs implements StoreObserver {
    private final Map<String, Integer> requests = new TreeMap<>();
    private double units;

    @Override
    public synchronized void requested(Request request) {
        requests.merge(request.operation(), 1, Integer::sum);
        units += request.capacityUnits();
    }

    /** What was counted since the last call, in words. */
    synchronized String take() {
        String words = requests.entrySet().stream()
                        .map(operation -> operation.getValue() + " " + operation.getKey())
                        .collect(Collectors.joining(", "))
                + String.format(Locale.ROOT, ": %.1f units", units);
        requests.clear();
        units = 0;
        return words;
    }
}
