package io.varve.store.internal.replay;

import io.varve.store.VarveException;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.table.JournalTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The pages of a scan, which lack nothing that is stored.
 *
 * <p><b>Numbers can be missing.</b> Their events were rejected; or somebody deletes while this reads; or the group was read for
 * the tail before the tail was known, and they were stored in between, or even while DynamoDB read the page, which is no
 * snapshot. So such a group is read again from the missing number on, once: what stands before the tail was stored before the
 * tail was seen. If the number is still missing, the low mark is looked at again. What was deleted is passed over by a reader. A
 * recovery fails: what it has delivered is not the entity's history.
 */
final class CheckedPages {
    private static final long NONE = Long.MAX_VALUE;

    private final EntityScan.Scope scope;
    private final PagesAhead pages;
    private final MarkReader marks;
    private final WholeWrites writes;
    private long low;
    private long writesFrom;

    /** Pages from the scope's start on. */
    CheckedPages(JournalTable table, EntityScan.Scope scope, RecoveryStart tail, int parallelism) {
        this.scope = scope;
        this.pages =
                new PagesAhead(new Groups(table, scope.persistenceId()), scope.start(), tail.fetched(), parallelism);
        this.marks = new MarkReader(table);
        this.writes = new WholeWrites(table);
        this.low = tail.low();
        this.writesFrom = scope.start();
    }

    /** The page with the number that the position expects: the first one of its group, or the one that begins with a number. */
    CompletionStage<Groups.Page> page(ScanPosition position, Optional<Integer> number, Budget budget) {
        long group = JournalKeys.group(position.next());
        return (number.isPresent()
                        ? pages.from(JournalKeys.groupStart(group) + number.get(), budget)
                        : pages.first(group, JournalKeys.group(position.reach()), budget))
                .thenCompose(page -> checked(page, position, budget));
    }

    /** The first number that is not deleted, as far as is known. */
    long low() {
        return low;
    }

    /** An atomic write that begins before this number counts as whole if all of it from there on is. */
    long writesFrom() {
        return writesFrom;
    }

    /** Whether this event was read when the tail was not known yet. */
    boolean isOutdated(Event event) {
        return pages.isOutdated(event.sequenceNumber());
    }

    /** Forgets all that was read: the scan goes back. */
    void clear() {
        pages.clear();
    }

    private CompletionStage<Groups.Page> checked(Groups.Page page, ScanPosition position, Budget budget) {
        return upToDate(page, position, budget).thenCompose(current -> withoutHalfWrite(current, position, budget));
    }

    private CompletionStage<Groups.Page> upToDate(Groups.Page page, ScanPosition position, Budget budget) {
        long missing = firstMissing(page, position);
        if (missing == NONE) {
            return CompletableFuture.completedFuture(page);
        }
        if (pages.isOutdated(missing)) {
            pages.renewed(missing);
            return pages.again(missing, budget)
                    .thenCompose(again -> upToDate(joined(page, missing, again), position, budget));
        }
        return marks.readLow(scope.persistenceId(), budget).thenApply(found -> {
            if (found.low() > missing) {
                deleted(found.low(), missing);
            }
            return page;
        });
    }

    private static long firstMissing(Groups.Page page, ScanPosition position) {
        ScanPosition reached = position;
        for (Event event : page.events()) {
            if (!reached.reaches(event.sequenceNumber())) {
                return reached.isAtEnd() ? NONE : reached.next();
            }
            if (event.sequenceNumber() > reached.next()) {
                return reached.next();
            }
            if (event.sequenceNumber() == reached.next()) {
                reached = reached.after(event);
            }
        }
        boolean endsTooEarly = page.next().isEmpty() && !reached.isAtEnd() && reached.next() <= page.lastNumber();
        return endsTooEarly ? reached.next() : NONE;
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
        writesFrom = Math.max(scope.start(), lowMark);
    }

    /** A reader that begins in the middle of an atomic write must know whether the beginning is there. */
    private CompletionStage<Groups.Page> withoutHalfWrite(Groups.Page page, ScanPosition position, Budget budget) {
        Optional<Event> first = position.seen() < scope.start()
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
        return writes.isWhole(first.get(), budget).thenCompose(whole -> {
            if (!whole && isOutdated(first.get())) {
                pages.renewed(position.next());
                return pages.again(position.next(), budget).thenCompose(again -> checked(again, position, budget));
            }
            writesFrom = whole ? scope.start() : 0;
            return CompletableFuture.completedFuture(page);
        });
    }
}
