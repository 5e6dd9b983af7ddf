package io.varve.store.internal.append;

import io.varve.store.internal.client.Budget;
import io.varve.store.internal.layout.ItemSize;
import io.varve.store.internal.layout.LastWritten;
import io.varve.store.internal.table.JournalTable;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Writes events.
 *
 * @param joinFrom how many writes must wait together to share transactions
 * @param maxItemSize an event whose item is larger is rejected
 */
public record Appender(
        JournalTable table, AtomicWrites atomicWrites, int joinFrom, int maxItemSize, InstantSource clock) {

    /** An appender; no item can be larger than DynamoDB allows. */
    public Appender {
        maxItemSize = Math.min(maxItemSize, ItemSize.MAX);
    }

    /**
     * Stores atomic writes of an entity after its head, in order. A result for each; another writer's event in the way, or
     * anything that DynamoDB refuses, fails the stage and leaves the rest unwritten.
     *
     * @param budget gives each step its time
     * @param stored hears of each step that is stored, and can still refuse it
     */
    public CompletionStage<List<AppendResult>> append(
            LastWritten head, List<AppendRequest> writes, Supplier<Budget> budget, StoredStep stored) {
        return new WriteQueue(this, head, writes, budget, stored).run();
    }

    /** Whether all the events of a write are stored at once, if they fit. */
    boolean isOneTransaction(AppendRequest write) {
        return write.events().size() == 1 || atomicWrites == AtomicWrites.TRANSACTIONAL;
    }
}
