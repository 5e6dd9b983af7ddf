package io.varve.store.internal.replay;

import io.varve.store.internal.client.Budget;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.table.JournalTable;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/** Delivers an entity's events in order, a bounded number of groups ahead of the receiver. */
public final class Replayer {
    private final int parallelism;
    private final InstantSource clock;

    /** A replayer that has up to {@code parallelism} groups under way or waiting for the receiver. */
    public Replayer(int parallelism, InstantSource clock) {
        this.parallelism = parallelism;
        this.clock = clock;
    }

    /**
     * What to replay.
     *
     * @param from the first sequence number, both bounds inclusive
     * @param max how many stored events to look at, those of incomplete atomic writes included
     */
    public record Range(String persistenceId, long from, long to, long max) {}

    /**
     * Hands the events of a range to the receiver, page by page; the next page is handed over when the stage that the receiver
     * returned is complete. Pages that {@code tail} has read already are not read again. Fails if events are deleted meanwhile.
     *
     * @param budget the time that each page may take
     */
    public CompletionStage<Void> replay(
            JournalTable table,
            Range range,
            RecoveryStart tail,
            Function<List<Event>, ? extends CompletionStage<?>> receiver,
            Budget budget) {
        long start = Math.max(Math.max(1, range.from()), tail.low());
        long end = Math.min(range.to(), tail.head().sequenceNumber());
        EntityScan.Scope scope = new EntityScan.Scope(range.persistenceId(), start, end, end, range.max(), true);
        return new EntityScan(table, scope, tail, parallelism, clock).forEachPage(receiver, budget);
    }

    /**
     * The events of an entity between two numbers, both inclusive, for who pulls them and changes nothing.
     *
     * @param budgets the time that each call of the cursor has
     */
    public EventCursor cursor(
            Supplier<CompletionStage<JournalTable>> table,
            TailReader tailReader,
            String persistenceId,
            long from,
            long to,
            Supplier<Budget> budgets) {
        long first = Math.max(1, from);
        long groups = Math.min(parallelism, JournalKeys.group(to) - JournalKeys.group(first) + 1);
        return new EventCursor(
                first,
                to,
                budgets,
                budget -> table.get()
                        .thenCompose(ready -> tailReader
                                .look(ready, persistenceId, first, (int) groups, budget)
                                .thenApply(tail -> pass(ready, persistenceId, first, to, tail))));
    }

    private EntityScan pass(JournalTable table, String persistenceId, long from, long to, RecoveryStart tail) {
        long start = Math.max(from, tail.low());
        EntityScan.Scope scope =
                new EntityScan.Scope(persistenceId, start, to, tail.head().sequenceNumber(), Long.MAX_VALUE, false);
        return new EntityScan(table, scope, tail, parallelism, clock);
    }
}
