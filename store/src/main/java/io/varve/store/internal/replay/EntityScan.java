package io.varve.store.internal.replay;

import io.varve.store.VarveException;
import io.varve.store.internal.async.Concurrently;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.table.JournalTable;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * One pass over an entity's stored events, from a number to the tail that was found; a page at a time, as they are asked for.
 *
 * <p><b>Numbers can be missing.</b> Their events were rejected; or somebody deletes while this reads; or the group was read for
 * the tail before the tail was known, and they were stored in between, or even while DynamoDB read the page, which is no
 * snapshot. So such a group is read again from the missing number on, once: what stands before the tail was stored before the
 * tail was seen. If the number is still missing, the low mark is looked at again. What was deleted is passed over by a reader. A
 * recovery fails: what it has delivered is not the entity's history.
 *
 * <p><b>An unfinished chain</b> of transactions stands at the tail or nowhere, because a recovery removes it before anything is
 * written after it. (Nodes of the predecessors do not.) So if something follows one that was read before the tail was known, this
 * too is read again.
 */
final class EntityScan {
    private static final long NONE = Long.MAX_VALUE;

    /**
     * What is read.
     *
     * @param start the first number; both bounds are inclusive
     * @param to the last number to deliver
     * @param end the last number to look at, for the sake of an atomic write that goes beyond {@code to}
     * @param max how many stored events to look at
     * @param recovery whether this is the history that an entity recovers from
     */
    record Scope(String persistenceId, long start, long to, long end, long max, boolean recovery) {}

    private final JournalTable table;
    private final Scope scope;
    private final InstantSource clock;
    private final PagesAhead pages;
    private final BatchFilter filter;
    private List<Event> complete = new ArrayList<>();
    private Instant now = Instant.EPOCH;
    private long low;
    private long left;
    private long reach;
    private long expected;
    private long seen;
    private long delivered;
    private Optional<Integer> nextNumber = Optional.empty();

    /** A pass that has up to {@code parallelism} groups under way or waiting to be asked for. */
    EntityScan(JournalTable table, Scope scope, RecoveryStart tail, int parallelism, InstantSource clock) {
        this.table = table;
        this.scope = scope;
        this.clock = clock;
        this.pages = new PagesAhead(table, scope.persistenceId(), scope.start(), tail, parallelism);
        this.filter = new BatchFilter(scope.start(), this::keep);
        this.low = tail.low();
        this.left = scope.max();
        this.reach = Math.min(scope.to(), scope.end());
        this.expected = scope.start();
        this.seen = scope.start() - 1;
        this.delivered = seen;
    }

    /** The next events, at least one; empty at the end. */
    CompletionStage<Optional<List<Event>>> next(Budget budget) {
        List<Event> found = new ArrayList<>();
        return Concurrently.run(
                        pagesWhile(found::isEmpty), 1, pass -> pass.page(budget).thenAccept(found::addAll))
                .thenApply(done -> found.isEmpty() ? Optional.empty() : Optional.of(List.copyOf(found)));
    }

    /**
     * Hands all events over, page by page; the next one when the stage that the receiver returned is complete. Each page has the
     * time of the budget for itself: how long the receiver takes is its own affair, and how many pages there are, the entity's.
     */
    CompletionStage<Void> forEachPage(Function<List<Event>, ? extends CompletionStage<?>> receiver, Budget budget) {
        return Concurrently.run(
                pagesWhile(() -> true),
                1,
                pass -> pass.page(budget.renewed())
                        .thenCompose(events -> events.isEmpty()
                                ? CompletableFuture.completedFuture(null)
                                : receiver.apply(events).thenApply(done -> null)));
    }

    /** This pass again and again, for {@link Concurrently} to take a page of it each time. */
    private Iterable<EntityScan> pagesWhile(BooleanSupplier wanted) {
        return () -> new Iterator<>() {
            @Override
            public boolean hasNext() {
                return left > 0 && expected <= reach && wanted.getAsBoolean();
            }

            @Override
            public EntityScan next() {
                return EntityScan.this;
            }
        };
    }

    /** From where on nothing has been delivered that is complete or may still become so. */
    long nextSequenceNumber() {
        // What is missing before an event that is there has been rejected or deleted.
        long passed = expected > reach && scope.end() > scope.to() ? scope.to() : Math.min(seen, scope.to());
        long next = filter.heldBack().map(Event::batchStart).orElse(passed + 1);
        return Math.max(next, delivered + 1);
    }

    private CompletionStage<List<Event>> page(Budget budget) {
        long group = JournalKeys.group(expected);
        return (nextNumber.isPresent()
                        ? pages.from(JournalKeys.groupStart(group) + nextNumber.get(), budget)
                        : pages.first(group, JournalKeys.group(reach), budget))
                .thenCompose(page -> checked(page, budget))
                .thenApply(this::filtered);
    }

    private CompletionStage<Groups.Page> checked(Groups.Page page, Budget budget) {
        return upToDate(page, budget).thenCompose(current -> withoutHalfWrite(current, budget));
    }

    private CompletionStage<Groups.Page> upToDate(Groups.Page page, Budget budget) {
        long missing = firstMissing(page);
        if (missing == NONE) {
            return CompletableFuture.completedFuture(page);
        }
        if (pages.isOutdated(page.group())) {
            pages.renewed(page.group());
            return pages.again(missing, budget).thenCompose(again -> upToDate(joined(page, missing, again), budget));
        }
        return Marks.readLow(table, scope.persistenceId(), budget).thenApply(marks -> {
            if (marks.low() > missing) {
                deleted(marks.low(), missing);
            }
            return page;
        });
    }

    private long firstMissing(Groups.Page page) {
        long next = expected;
        long events = left;
        long last = reach;
        for (Event event : page.events()) {
            if (event.sequenceNumber() > last || events == 0) {
                return NONE;
            }
            if (event.sequenceNumber() > next) {
                return next;
            }
            if (event.sequenceNumber() == next) {
                next++;
                events -= countOf(event);
                last = reachWith(event, last);
            }
        }
        boolean more = page.next().isPresent() || events == 0;
        return more || next > Math.min(last, lastOf(page.group())) ? NONE : next;
    }

    private static int countOf(Event event) {
        return event.placeholder() ? 0 : 1;
    }

    /** How far to look with this event: to the end of its atomic write. */
    private long reachWith(Event event, long otherwise) {
        return Math.max(otherwise, Math.min(event.batchEnd(), scope.end()));
    }

    private static Groups.Page joined(Groups.Page page, long missing, Groups.Page again) {
        List<Event> events = new ArrayList<>(page.events());
        events.removeIf(event -> event.sequenceNumber() >= missing);
        events.addAll(again.events());
        return new Groups.Page(page.group(), events, again.next(), Optional.empty());
    }

    private void deleted(long lowMark, long missing) {
        if (scope.recovery()) {
            throw new VarveException("The events of '" + scope.persistenceId() + "' up to " + (lowMark - 1)
                    + " were deleted while they were being replayed, so that " + missing
                    + " is missing: recover the entity again.");
        }
        low = lowMark;
        filter.startAt(Math.max(scope.start(), lowMark));
    }

    /** A reader that begins in the middle of an atomic write must know whether the beginning is there. */
    private CompletionStage<Groups.Page> withoutHalfWrite(Groups.Page page, Budget budget) {
        Optional<Event> first = seen < scope.start()
                ? page.events().stream()
                        .filter(event -> event.sequenceNumber() >= scope.start())
                        .findFirst()
                : Optional.empty();
        if (scope.recovery()
                || low >= scope.start()
                || first.isEmpty()
                || first.get().batchStart() >= scope.start()) {
            return CompletableFuture.completedFuture(page);
        }
        return new WholeWrites(table, budget).isWhole(first.get()).thenCompose(whole -> {
            if (!whole && pages.isOutdated(page.group())) {
                pages.renewed(page.group());
                return pages.again(expected, budget).thenCompose(again -> checked(again, budget));
            }
            filter.startAt(whole ? scope.start() : 0);
            return CompletableFuture.completedFuture(page);
        });
    }

    private List<Event> filtered(Groups.Page page) {
        complete = new ArrayList<>(page.events().size());
        now = clock.instant();
        for (Event event : page.events()) {
            if (event.sequenceNumber() >= Math.max(low, expected) && event.sequenceNumber() <= reach && left > 0) {
                Optional<Event> replaced = filter.cutOffBy(event).filter(this::mayBeReplaced);
                if (replaced.isPresent()) {
                    goBackTo(replaced.get().sequenceNumber());
                    return complete;
                }
                seen = event.sequenceNumber();
                expected = seen + 1;
                left -= countOf(event);
                reach = reachWith(event, reach);
                filter.add(event);
            }
        }
        nextNumber = page.next();
        if (nextNumber.isEmpty()) {
            expected = Math.max(expected, lastOf(page.group()) + 1);
        }
        return complete;
    }

    /** Whether this beginning of an unfinished chain may have been replaced since it was read. */
    private boolean mayBeReplaced(Event event) {
        return event.batch().flatMap(Event.Batch::id).isPresent()
                && pages.isOutdated(JournalKeys.group(event.sequenceNumber()));
    }

    private void goBackTo(long number) {
        left += filter.pending().size();
        filter.clear();
        pages.clear();
        seen = number - 1;
        expected = number;
        nextNumber = Optional.of(JournalKeys.number(number));
    }

    private static long lastOf(long group) {
        return JournalKeys.groupStart(group) + Groups.LAST_NUMBER;
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
