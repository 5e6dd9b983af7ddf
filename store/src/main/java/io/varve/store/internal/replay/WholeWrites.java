package io.varve.store.internal.replay;

import io.varve.store.internal.async.Loop;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.client.Call;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.EventId;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.Item;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.table.JournalTable;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;

/** Tells whether the atomic write of a single event is stored whole; a beginning that was deleted is not missed. */
public final class WholeWrites {
    private final JournalTable table;
    private final MarkReader marks;

    /** For the writes of a table. */
    public WholeWrites(JournalTable table) {
        this.table = table;
        this.marks = new MarkReader(table);
    }

    /** Whether the atomic write that an event belongs to is stored whole. */
    public CompletionStage<Boolean> isWhole(Event event, Budget budget) {
        Optional<String> chain = event.batch().flatMap(Event.Batch::id);
        if (event.batch().isEmpty() || (chain.isPresent() && event.sequenceNumber() == event.batchEnd())) {
            return CompletableFuture.completedFuture(true);
        }
        if (chain.isPresent()) {
            return event(new EventId(event.persistenceId(), event.batchEnd()), budget)
                    .thenApply(last ->
                            last.flatMap(Event::batch).flatMap(Event.Batch::id).equals(chain));
        }
        return numbers(event, budget).thenCompose(stored -> isWhole(event, stored, budget));
    }

    /** One event, whatever its atomic write. */
    public CompletionStage<Optional<Event>> event(EventId id, Budget budget) {
        GetItemRequest get = GetItemRequest.builder()
                .tableName(table.name())
                .key(table.keys().eventKey(id.persistenceId(), id.sequenceNumber()))
                .consistentRead(true)
                .build();
        return table.gateway()
                .call(Call.GET_ITEM, get, budget)
                .thenApply(found -> found.hasItem() && !found.item().isEmpty()
                        ? Optional.of(EventItems.decode(
                                id.persistenceId(),
                                JournalKeys.group(id.sequenceNumber()),
                                new Item(table.name(), found.item())))
                        : Optional.empty());
    }

    /** The stored numbers of an event's atomic write. */
    private CompletionStage<Set<Long>> numbers(Event event, Budget budget) {
        Groups groups = new Groups(table, event.persistenceId());
        Set<Long> found = new HashSet<>();
        return Loop.walk(event.batchStart(), from -> {
                    long group = JournalKeys.group(from);
                    long to = Math.min(event.batchEnd(), JournalKeys.groupStart(group) + Groups.LAST_NUMBER);
                    return groups.page(group, JournalKeys.number(from), JournalKeys.number(to), budget)
                            .thenApply(page -> {
                                page.events().stream()
                                        .filter(other -> BatchFilter.ofOneWrite(event, other))
                                        .forEach(other -> found.add(other.sequenceNumber()));
                                long next = page.next()
                                        .map(number -> JournalKeys.groupStart(group) + number)
                                        .orElse(to + 1);
                                return Optional.of(next).filter(number -> number <= event.batchEnd());
                            });
                })
                .thenApply(done -> found);
    }

    private CompletionStage<Boolean> isWhole(Event event, Set<Long> stored, Budget budget) {
        long first = event.batchEnd() + 1;
        while (stored.contains(first - 1)) {
            first--;
        }
        long firstStored = first;
        if (firstStored > event.sequenceNumber() || firstStored == event.batchStart()) {
            return CompletableFuture.completedFuture(firstStored == event.batchStart());
        }
        return marks.read(event.persistenceId(), budget).thenApply(found -> found.low() >= firstStored);
    }
}
