package io.varve.store.internal.replay;

import io.varve.store.internal.async.Loop;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.JournalKeys;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * One pass over an entity's stored events, from a number to the tail that was found; a page at a time, as they are asked for.
 *
 * <p><b>An unfinished chain</b> of transactions stands at the tail or nowhere, because a recovery removes it before anything is
 * written after it. (Nodes of the predecessors do not.) So if a part of one that was read before the tail was known contradicts what
 * stands before or after it, both are read again.
 */
final class EntityScan {

    /**
     * What is read.
     *
     * @param range the numbers to deliver, and how many stored events to look at
     * @param end the last number to look at, for the sake of an atomic write that goes beyond the range
     * @param recovery whether this is the history that an entity recovers from
     */
    record Scope(Replayer.Range range, long end, boolean recovery) {
        String persistenceId() {
            return range.persistenceId();
        }

        long start() {
            return range.from();
        }

        long to() {
            return range.to();
        }
    }

    private final Scope scope;
    private final CheckedPages pages;
    private final InstantSource clock;
    private final BatchFilter filter;
    private List<Event> complete = new ArrayList<>();
    private Instant now = Instant.EPOCH;
    private ScanPosition position;
    private long delivered;
    private Optional<Integer> nextNumber = Optional.empty();

    /** A scan that delivers what has not expired. */
    EntityScan(Scope scope, CheckedPages pages, InstantSource clock) {
        this.scope = scope;
        this.pages = pages;
        this.clock = clock;
        this.filter = new BatchFilter(scope.start(), this::keep);
        this.position = ScanPosition.of(scope);
        this.delivered = position.seen();
    }

    /** The next events, at least one; empty at the end. */
    CompletionStage<Optional<List<Event>>> next(Budget budget) {
        List<Event> found = new ArrayList<>();
        return Loop.repeat(
                        () -> found.isEmpty() && !position.isAtEnd(),
                        () -> page(budget).thenAccept(found::addAll))
                .thenApply(done -> found.isEmpty() ? Optional.empty() : Optional.of(List.copyOf(found)));
    }

    /**
     * Hands all events over, page by page; the next one when the stage that the receiver returned is complete. Each page has the
     * time of the budget for itself: how long the receiver takes is its own affair, and how many pages there are, the entity's.
     */
    CompletionStage<Void> forEachPage(Function<List<Event>, ? extends CompletionStage<?>> receiver, Budget budget) {
        return Loop.repeat(
                () -> !position.isAtEnd(),
                () -> page(budget.renewed())
                        .thenCompose(events -> events.isEmpty()
                                ? CompletableFuture.completedFuture(null)
                                : receiver.apply(events).thenApply(done -> null)));
    }

    /** From where on nothing has been delivered that is complete or may still become so. */
    long nextSequenceNumber() {
        // What is missing before an event that is there has been rejected or deleted.
        boolean lookedBeyond = position.next() > position.reach() && scope.end() > scope.to();
        long passed = lookedBeyond ? scope.to() : Math.min(position.seen(), scope.to());
        long next = filter.heldBack().map(Event::batchStart).orElse(passed + 1);
        return Math.max(next, delivered + 1);
    }

    private CompletionStage<List<Event>> page(Budget budget) {
        return pages.page(position, nextNumber, budget).thenApply(this::filtered);
    }

    private List<Event> filtered(Groups.Page page) {
        complete = new ArrayList<>(page.events().size());
        now = clock.instant();
        filter.startAt(pages.writesFrom());
        for (Event event : page.events()) {
            if (event.sequenceNumber() >= Math.max(pages.low(), position.next())
                    && position.reaches(event.sequenceNumber())) {
                Optional<Event> replaced =
                        filter.droppedBy(event).filter(dropped -> mayBeReplaced(dropped) || mayBeReplaced(event));
                if (replaced.isPresent()) {
                    goBackTo(replaced.get().sequenceNumber());
                    return complete;
                }
                position = position.after(event);
                filter.add(event);
            }
        }
        nextNumber = page.next();
        if (nextNumber.isEmpty()) {
            position = position.notBefore(page.lastNumber() + 1);
        }
        if (position.isAtEnd()) {
            filter.pending().stream()
                    .findFirst()
                    .filter(this::mayBeReplaced)
                    .ifPresent(replaced -> goBackTo(replaced.sequenceNumber()));
        }
        return complete;
    }

    /** Whether this part of an unfinished chain may have been replaced since it was read. */
    private boolean mayBeReplaced(Event event) {
        return event.batch().flatMap(Event.Batch::id).isPresent() && pages.isOutdated(event);
    }

    private void goBackTo(long number) {
        position = position.backTo(number, filter.pending().size());
        filter.clear();
        pages.clear();
        nextNumber = Optional.of(JournalKeys.number(number));
    }

    private void keep(Event event) {
        if (event.sequenceNumber() <= scope.to()) {
            delivered = event.sequenceNumber();
            if (!event.isExpired(now)) {
                complete.add(event);
            }
        }
    }
}
