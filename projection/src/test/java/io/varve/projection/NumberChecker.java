package io.varve.projection;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.paginators.ScanPublisher;

/** Compares what the handlers of projections have noted with the events that are stored. */
final class NumberChecker {
    private final DynamoDbAsyncClient client;
    private final String target;
    private final Map<String, List<Long>> stored;

    /** @param stored the numbers of the events by persistence id, in their order */
    NumberChecker(DynamoDbAsyncClient client, String target, Map<String, List<Long>> stored) {
        this.client = client;
        this.target = target;
        this.stored = stored;
    }

    /** The numbers from 1 on. */
    static List<Long> upTo(long last) {
        return LongStream.rangeClosed(1, last).boxed().toList();
    }

    /** Waits until each event has been processed, in order; it must be exactly once. */
    void awaitExactlyOnce(NumberHandlers handlers) {
        Supplier<Map<String, Map<String, AttributeValue>>> items = () -> items(handlers.projection());
        await(handlers.projection())
                .atMost(ClusterNode.PATIENCE)
                .untilAsserted(() -> equal(items.get().entrySet().stream()
                        .collect(Collectors.toMap(Map.Entry::getKey, entry -> list(entry.getValue())))));
        items.get()
                .forEach((persistenceId, item) -> requireNonNull(stored.get(persistenceId)).stream()
                        .collect(Collectors.groupingBy(number -> number, Collectors.counting()))
                        .forEach((number, count) -> assertThat(
                                        requireNonNull(item.get("n" + number)).n())
                                .as("how often event %s of %s was counted", number, persistenceId)
                                .isEqualTo(Long.toString(count))));
    }

    /** Waits until each event has been processed, for the first time in order. */
    void awaitAtLeastOnce(NumberHandlers handlers) {
        await(handlers.projection()).atMost(ClusterNode.PATIENCE).untilAsserted(() -> {
            Map<String, List<Long>> first = new HashMap<>();
            handlers.noted()
                    .forEach((persistenceId, numbers) ->
                            first.put(persistenceId, numbers.stream().distinct().toList()));
            equal(first);
        });
    }

    private void equal(Map<String, List<Long>> processed) {
        Map<String, List<Long>> differing = new HashMap<>(stored);
        differing.entrySet().removeIf(entry -> entry.getValue().equals(processed.get(entry.getKey())));
        assertThat(differing.entrySet())
                .allSatisfy(entry -> assertThat(processed.get(entry.getKey()))
                        .as(entry.getKey())
                        .isEqualTo(entry.getValue()));
        assertThat(processed).hasSameSizeAs(stored);
    }

    private static List<Long> list(Map<String, AttributeValue> item) {
        return requireNonNull(item.get(NumberHandlers.LIST)).l().stream()
                .map(number -> Long.valueOf(number.n()))
                .toList();
    }

    private Map<String, Map<String, AttributeValue>> items(String projection) {
        Map<String, Map<String, AttributeValue>> items = new HashMap<>();
        String prefix = NumberHandlers.key(projection, "");
        ScanPublisher pages =
                client.scanPaginator(scan -> scan.tableName(target).consistentRead(true));
        pages.items()
                .subscribe(item -> {
                    String id = requireNonNull(item.get("id")).s();
                    if (id.startsWith(prefix)) {
                        items.put(id.substring(prefix.length()), item);
                    }
                })
                .join();
        return items;
    }
}
