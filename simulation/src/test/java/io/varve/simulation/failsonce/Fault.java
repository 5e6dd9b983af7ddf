package io.varve.simulation.failsonce;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbRequest;

/** What happens to the n-th request of an operation, counted from 1. */
public record Fault(int number, Way way) {
    private static final Set<Way> HALVES = Set.of(Way.HALF_OF_THE_BATCH, Way.OTHER_HALF_OF_THE_BATCH);

    /** Nothing fails. */
    public static final Fault NONE = new Fault(0, Way.SERVER_ERROR);

    /** The faults of an operation that sends these requests when nothing fails. */
    public static List<Fault> of(List<DynamoDbRequest> requests, Set<Way> ways) {
        List<Fault> faults = new ArrayList<>();
        for (int number = 1; number <= requests.size(); number++) {
            for (Way way : ways) {
                if (!HALVES.contains(way) || items(requests.get(number - 1)) > 1) {
                    faults.add(new Fault(number, way));
                }
            }
        }
        return faults;
    }

    private static int items(DynamoDbRequest request) {
        Map<String, Integer> items = new HashMap<>();
        if (request instanceof BatchWriteItemRequest write) {
            write.requestItems().forEach((table, list) -> items.put(table, list.size()));
        } else if (request instanceof BatchGetItemRequest get) {
            get.requestItems()
                    .forEach((table, keys) -> items.put(table, keys.keys().size()));
        }
        return items.values().stream().mapToInt(Integer::intValue).sum();
    }

    public boolean isNone() {
        return number == 0;
    }

    @Override
    public String toString() {
        return isNone() ? "without a fault" : "request " + number + ", " + way;
    }
}
