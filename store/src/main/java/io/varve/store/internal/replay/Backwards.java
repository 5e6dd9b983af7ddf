package io.varve.store.internal.replay;

import io.varve.store.internal.client.Budget;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.EventId;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.table.JournalTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Reads an entity's events before a number, group by group downwards, as far back as a timestamp. */
final class Backwards {
    private final Groups groups;
    private final WholeWrites writes;
    private final long last;
    private final long afterTimestamp;
    private final Budget budget;
    private final List<Event> read = new ArrayList<>();
    private long wantedFrom;

    Backwards(JournalTable table, EventId before, long afterTimestamp, Budget budget) {
        this.groups = new Groups(table, before.persistenceId());
        this.writes = new WholeWrites(table);
        this.last = before.sequenceNumber() - 1;
        this.afterTimestamp = afterTimestamp;
        this.budget = budget;
    }

    CompletionStage<List<Event>> read() {
        int number = JournalKeys.number(last);
        // A part of a group can be empty because the events there were rejected.
        return down(JournalKeys.group(last), number, number < Groups.LAST_NUMBER)
                .thenCompose(done -> complete());
    }

    private CompletionStage<Void> down(long group, int number, boolean groupHasEvents) {
        return groups.pageDown(group, 0, number, budget).thenCompose(page -> {
            read.addAll(0, page.events());
            page.events().stream()
                    .filter(event -> event.timestamp() <= afterTimestamp)
                    .forEach(event -> wantedFrom = event.sequenceNumber() + 1);
            boolean hasEvents = groupHasEvents || !page.events().isEmpty();
            if (wantedFrom > 0 || (page.below().isEmpty() && (group == 0 || !hasEvents))) {
                return CompletableFuture.completedFuture(null);
            }
            return page.below().isPresent()
                    ? down(group, page.below().get(), hasEvents)
                    : down(group - 1, Groups.LAST_NUMBER, false);
        });
    }

    private CompletionStage<List<Event>> complete() {
        if (read.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        long first = read.get(0).sequenceNumber();
        List<Event> whole = new ArrayList<>();
        BatchFilter filter = new BatchFilter(first, whole::add);
        read.forEach(filter::add);
        whole.removeIf(event -> event.sequenceNumber() < wantedFrom);
        Optional<Event> beginsBefore =
                whole.stream().filter(event -> event.batchStart() < first).findFirst();
        Optional<Event> endsAfter = filter.heldBack()
                .filter(event -> event.sequenceNumber() == last && event.sequenceNumber() >= wantedFrom);
        return isWhole(beginsBefore).thenCombine(isWhole(endsAfter), (begun, ended) -> {
            if (!begun) {
                whole.removeIf(event -> BatchFilter.ofOneWrite(event, beginsBefore.orElseThrow()));
            }
            if (endsAfter.isPresent() && ended) {
                filter.pending().stream()
                        .filter(event -> event.sequenceNumber() >= wantedFrom)
                        .forEach(whole::add);
            }
            return whole;
        });
    }

    private CompletionStage<Boolean> isWhole(Optional<Event> event) {
        return event.isEmpty() ? CompletableFuture.completedFuture(true) : writes.isWhole(event.get(), budget);
    }
}
