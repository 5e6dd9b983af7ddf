package io.varve.store.internal.delete;

import io.varve.store.internal.client.Budget;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.EventId;
import io.varve.store.internal.layout.LastWritten;
import io.varve.store.internal.replay.MarkReader;
import io.varve.store.internal.replay.WholeWrites;
import io.varve.store.internal.table.JournalTable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Deletes an entity's events up to a sequence number. */
public final class EventDeleter {
    private final JournalTable table;
    private final MarkReader marks;
    private final WholeWrites writes;
    private final int parallelism;

    /** A deleter with up to {@code parallelism} batches under way. */
    public EventDeleter(JournalTable table, int parallelism) {
        this.table = table;
        this.marks = new MarkReader(table);
        this.writes = new WholeWrites(table);
        this.parallelism = parallelism;
    }

    /** A deletion that is decided: nobody replays its events any more, whether or not they are gone. */
    public interface Decided {
        /**
         * Takes the events away, as many as there are: each request has the time of the operation's budget for itself.
         *
         * @return up to where nothing is left now
         */
        CompletionStage<Long> finish();
    }

    /**
     * Decides to delete all events up to {@code to}, or to the head if that is lower.
     *
     * @param cleanTo up to where the caller knows that nothing is left of earlier deletions; 0 if it does not know
     */
    public CompletionStage<Decided> decide(
            String persistenceId, long to, LastWritten head, long cleanTo, Budget budget) {
        table.keys().check(persistenceId);
        CompletionStage<Long> last = to < head.sequenceNumber() && to > 0
                ? endOfDeletion(new EventId(persistenceId, to), budget)
                : CompletableFuture.completedFuture(head.sequenceNumber());
        return marks.read(persistenceId, budget)
                .thenCombine(last, (found, end) -> DeletedNumbers.of(found, Math.min(to, end), cleanTo, head))
                .thenCompose(numbers -> new Deletion(table, persistenceId, numbers, parallelism, budget).decide());
    }

    /**
     * Where a deletion up to an event may end: there, or before an atomic write that goes on behind it and is not whole. Cut off at
     * its beginning, it would pass for one of which the rest is left.
     */
    private CompletionStage<Long> endOfDeletion(EventId last, Budget budget) {
        return writes.event(new EventId(last.persistenceId(), last.sequenceNumber() + 1), budget)
                .thenCompose(next -> {
                    long start = next.map(Event::batchStart).orElse(Long.MAX_VALUE);
                    return start > last.sequenceNumber()
                            ? CompletableFuture.completedFuture(last.sequenceNumber())
                            : writes.isWhole(next.orElseThrow(), budget)
                                    .thenApply(whole -> whole ? last.sequenceNumber() : start - 1);
                });
    }
}
