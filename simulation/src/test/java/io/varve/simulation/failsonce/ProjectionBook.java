package io.varve.simulation.failsonce;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.Update;

/** What the handlers of a projection have seen, and their effects in a table. */
public final class ProjectionBook {
    private final Map<String, List<Long>> handled = new TreeMap<>();
    private final List<String> disorder = new ArrayList<>();

    /** The change that a handler makes: it counts how often it was made. */
    public static TransactWriteItem effect(String entity, long number) {
        return TransactWriteItem.builder()
                .update(Update.builder()
                        .tableName(ServiceTables.EFFECTS)
                        .key(Map.of(
                                "name_slice",
                                AttributeValue.fromS(entity),
                                "pid",
                                AttributeValue.fromS(Long.toString(number))))
                        .updateExpression("ADD times :one")
                        .expressionAttributeValues(Map.of(":one", AttributeValue.fromN("1")))
                        .build())
                .build();
    }

    /** A handler without a transaction has seen an event. */
    public synchronized void handled(String entity, long number) {
        List<Long> numbers = handled.computeIfAbsent(entity, id -> new ArrayList<>());
        if (number > upTo(entity) + 1) {
            disorder.add("A handler gets %d of %s after %s".formatted(number, entity, numbers));
        }
        numbers.add(number);
    }

    /** No handler has seen an event before those before it. */
    public synchronized void requireOrder() {
        Broken.unless(disorder.isEmpty(), "%s", disorder);
    }

    /** Whether a handler without a transaction has seen all events of an entity up to one. */
    public synchronized boolean hasHandledUpTo(String entity, long number) {
        return upTo(entity) >= number;
    }

    private long upTo(String entity) {
        return Optional.ofNullable(handled.get(entity)).stream()
                .flatMap(List::stream)
                .mapToLong(Long::longValue)
                .max()
                .orElse(0);
    }

    /** How often the effect of which event was stored. */
    public static Map<Long, Integer> effects(Scene scene, String entity) {
        Map<Long, Integer> effects = new TreeMap<>();
        scene.server().items(ServiceTables.EFFECTS).stream()
                .filter(item -> Items.text(item, "name_slice").equals(entity))
                .forEach(item ->
                        effects.put(Long.parseLong(Items.text(item, "pid")), (int) Items.number(item, "times")));
        return effects;
    }
}
