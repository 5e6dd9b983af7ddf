package io.varve.store.internal.replay;

import io.varve.store.internal.client.Budget;
import io.varve.store.internal.layout.Attributes;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.EventId;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.Item;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.table.JournalTable;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Finds single events without a replay, consistently. Those that have expired are not found. */
public final class EventLookup {
    private final JournalTable table;
    private final WholeWrites writes;
    private final InstantSource clock;

    /** A lookup; the clock tells what has expired. */
    public EventLookup(JournalTable table, InstantSource clock) {
        this.table = table;
        this.writes = new WholeWrites(table);
        this.clock = clock;
    }

    /** An event, unless its atomic write is not complete. */
    public CompletionStage<Optional<Event>> event(EventId id, Budget budget) {
        table.keys().check(id.persistenceId());
        return writes.event(id, budget)
                .thenApply(found -> found.filter(this::exists))
                .thenCompose(found -> found.isEmpty()
                        ? CompletableFuture.completedFuture(found)
                        : writes.isWhole(found.get(), budget).thenApply(whole -> found.filter(event -> whole)));
    }

    /** Whether the atomic write that an event belongs to is stored whole. */
    public CompletionStage<Boolean> isComplete(Event event, Budget budget) {
        return writes.isWhole(event, budget);
    }

    /** The events that are there, in the order of the ids, whether or not their atomic writes are complete. */
    public CompletionStage<List<Event>> events(Collection<EventId> ids, Budget budget) {
        Map<Map<String, AttributeValue>, EventId> keys = new LinkedHashMap<>();
        for (EventId id : ids) {
            table.keys().check(id.persistenceId());
            keys.put(table.keys().eventKey(id.persistenceId(), id.sequenceNumber()), id);
        }
        return table.gateway()
                .batchGet(table.name(), List.copyOf(keys.keySet()), true, budget)
                .thenApply(items -> {
                    Map<EventId, Event> found = new HashMap<>();
                    items.forEach(item -> decode(keys, new Item(table.name(), item))
                            .ifPresent(event ->
                                    found.put(new EventId(event.persistenceId(), event.sequenceNumber()), event)));
                    return keys.values().stream()
                            .map(found::get)
                            .filter(Objects::nonNull)
                            .filter(this::exists)
                            .toList();
                });
    }

    private static Optional<Event> decode(Map<Map<String, AttributeValue>, EventId> keys, Item item) {
        return Optional.ofNullable(keys.get(item.key(Attributes.PARTITION, Attributes.NUMBER)))
                .map(id -> EventItems.decode(id.persistenceId(), JournalKeys.group(id.sequenceNumber()), item));
    }

    /**
     * The complete events of an entity before a number, in order, back to the first one whose timestamp is not after the given
     * one, or to a group without events. Events that are being deleted may be among them.
     */
    public CompletionStage<List<Event>> before(EventId id, long afterTimestamp, Budget budget) {
        table.keys().check(id.persistenceId());
        if (id.sequenceNumber() <= 1) {
            return CompletableFuture.completedFuture(List.of());
        }
        return new Backwards(table, id, afterTimestamp, budget)
                .read()
                .thenApply(events -> events.stream().filter(this::exists).toList());
    }

    private boolean exists(Event event) {
        return !event.placeholder() && !event.isExpired(clock.instant());
    }
}
