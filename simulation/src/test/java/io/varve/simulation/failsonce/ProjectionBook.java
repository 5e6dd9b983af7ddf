package io.varve.simulation.failsonce;

import io.varve.store.Slices;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.SliceOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.Update;

/** The events of a projection, what its handler has seen of them, and their effects in a table. */
final class ProjectionBook {
    static final String EFFECTS = "effect-table";
    private static final long BEGINNING = 1_700_000_000_000_000L;

    private final Map<String, Set<Long>> handled = new TreeMap<>();

    /** An event of an entity as the journal would have it. */
    static LastProcessed event(String entity, long number) {
        return new LastProcessed(entity, number, timestamp(number));
    }

    static long timestamp(long number) {
        return BEGINNING + 1_000_000 * number;
    }

    /** The place of a slice behind these events. */
    static Map<Integer, SliceOffset> places(List<LastProcessed> events) {
        Map<Integer, SliceOffset> places = new HashMap<>();
        events.forEach(event -> places.put(
                Slices.of(event.persistenceId()),
                new SliceOffset(event.timestamp(), Map.of(event.persistenceId(), event.sequenceNumber()), 0)));
        return places;
    }

    /** The change that a handler makes: it counts how often it was made. */
    static TransactWriteItem effect(LastProcessed event) {
        return TransactWriteItem.builder()
                .update(Update.builder()
                        .tableName(EFFECTS)
                        .key(Map.of(
                                "name_slice",
                                AttributeValue.fromS(event.persistenceId()),
                                "pid",
                                AttributeValue.fromS(Long.toString(event.sequenceNumber()))))
                        .updateExpression("ADD times :one")
                        .expressionAttributeValues(Map.of(":one", AttributeValue.fromN("1")))
                        .build())
                .build();
    }

    /** A handler without a transaction has seen an event. */
    void handled(LastProcessed event) {
        handled.computeIfAbsent(event.persistenceId(), id -> new TreeSet<>()).add(event.sequenceNumber());
    }

    /** Whether a handler without a transaction has seen all events of an entity up to one. */
    boolean hasHandledUpTo(String entity, long number) {
        return handled.getOrDefault(entity, Set.of()).size() >= number;
    }

    /** How often the effect of which event was stored. */
    static Map<Long, Integer> effects(Scene scene, String entity) {
        Map<Long, Integer> effects = new TreeMap<>();
        scene.server().items(EFFECTS).stream()
                .filter(item -> Items.text(item, "name_slice").equals(entity))
                .forEach(item ->
                        effects.put(Long.parseLong(Items.text(item, "pid")), (int) Items.number(item, "times")));
        return effects;
    }
}
