package io.varve.store.internal.replay;

import io.varve.store.internal.client.Budget;
import io.varve.store.internal.client.Call;
import io.varve.store.internal.layout.Event;
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
final class WholeWrites {
    private final JournalTable table;
    private final Budget budget;

    WholeWrites(JournalTable table, Budget budget) {
        this.table = table;
        this.budget = budget;
    }

    CompletionStage<Boolean> isWhole(Event event) {
        Optional<String> chain = event.batch().flatMap(Event.Batch::id);
        if (event.batch().isEmpty() || (chain.isPresent() && event.sequenceNumber() == event.batchEnd())) {
            return CompletableFuture.completedFuture(true);
        }
        if (chain.isPresent()) {
            return event(event.persistenceId(), event.batchEnd())
                    .thenApply(last ->
                            last.flatMap(Event::batch).flatMap(Event.Batch::id).equals(chain));
        }
        return numbers(event, event.batchStart(), new HashSet<>()).thenCompose(stored -> isWhole(event, stored));
    }

    /** One event, whatever its atomic write. */
    CompletionStage<Optional<Event>> event(String persistenceId, long sequenceNumber) {
        GetItemRequest get = GetItemRequest.builder()
                .tableName(table.name())
                .key(table.keys().eventKey(persistenceId, sequenceNumber))
                .consistentRead(true)
                .build();
        return table.gateway()
                .call(Call.GET_ITEM, get, budget)
                .thenApply(found -> found.hasItem() && !found.item().isEmpty()
                        ? Optional.of(EventItems.decode(
                                persistenceId, JournalKeys.group(sequenceNumber), new Item(table.name(), found.item())))
                        : Optional.empty());
    }

    /** The stored numbers of an event's atomic write. */
    private CompletionStage<Set<Long>> numbers(Event event, long from, Set<Long> found) {
        if (from > event.batchEnd()) {
            return CompletableFuture.completedFuture(found);
        }
        long group = JournalKeys.group(from);
        long to = Math.min(event.batchEnd(), JournalKeys.groupStart(group) + Groups.LAST_NUMBER);
        return new Groups(table, event.persistenceId())
                .page(group, JournalKeys.number(from), JournalKeys.number(to), budget)
                .thenCompose(page -> {
                    page.events().stream()
                            .filter(other -> BatchFilter.ofOneWrite(event, other))
                            .forEach(other -> found.add(other.sequenceNumber()));
                    long next = page.next()
                            .map(number -> JournalKeys.groupStart(group) + number)
                            .orElse(to + 1);
                    return numbers(event, next, found);
                });
    }

    private CompletionStage<Boolean> isWhole(Event event, Set<Long> stored) {
        long first = event.batchEnd() + 1;
        while (stored.contains(first - 1)) {
            first--;
        }
        long firstStored = first;
        if (firstStored > event.sequenceNumber() || firstStored == event.batchStart()) {
            return CompletableFuture.completedFuture(firstStored == event.batchStart());
        }
        return Marks.read(table, event.persistenceId(), budget).thenApply(marks -> marks.low() >= firstStored);
    }
}
