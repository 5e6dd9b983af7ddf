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
    private final InstantSource clock;

    /** A lookup; the clock tells what has expired. */
    public EventLookup(InstantSource clock) {
        this.clock = clock;
    }

    /** An event, unless its atomic write is not complete. */
    public CompletionStage<Optional<Event>> event(JournalTable table, EventId id, Budget budget) {
        table.keys().check(id.persistenceId());
        WholeWrites writes = new WholeWrites(table, budget);
        return writes.event(id.persistenceId(), id.sequenceNumber())
                .thenApply(found -> found.filter(this::exists))
                .thenCompose(found -> found.isEmpty()
                        ? CompletableFuture.completedFuture(found)
                        : writes.isWhole(found.get()).thenApply(whole -> found.filter(event -> whole)));
    }

    /** Whether the atomic write that an event belongs to is stored whole. */
    public CompletionStage<Boolean> isComplete(JournalTable table, Event event, Budget budget) {
        return new WholeWrites(table, budget).isWhole(event);
    }

    /**
     * Where a deletion up to an event may end: there, or before an atomic write that goes on behind it and is not whole. Cut off at
     * its beginning, it would pass for one of which the rest is left.
     */
    public static CompletionStage<Long> endOfDeletion(JournalTable table, EventId last, Budget budget) {
        WholeWrites writes = new WholeWrites(table, budget);
        return writes.event(last.persistenceId(), last.sequenceNumber() + 1).thenCompose(next -> {
            long start = next.map(Event::batchStart).orElse(Long.MAX_VALUE);
            return start > last.sequenceNumber()
                    ? CompletableFuture.completedFuture(last.sequenceNumber())
                    : writes.isWhole(next.orElseThrow()).thenApply(whole -> whole ? last.sequenceNumber() : start - 1);
        });
    }

    /** The events that are there, in the order of the ids, whether or not their atomic writes are complete. */
    public CompletionStage<List<Event>> events(JournalTable table, Collection<EventId> ids, Budget budget) {
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
    public CompletionStage<List<Event>> before(JournalTable table, EventId id, long afterTimestamp, Budget budget) {
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
