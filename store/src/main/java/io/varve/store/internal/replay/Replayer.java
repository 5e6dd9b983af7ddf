package io.varve.store.internal.replay;

import io.varve.store.internal.client.Budget;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.table.JournalTable;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Delivers an entity's events in order, a bounded number of groups ahead of the receiver. */
public final class Replayer {
    private final JournalTable table;
    private final TailReader tail;
    private final int parallelism;
    private final InstantSource clock;

    /** A replayer that has up to {@code parallelism} groups under way or waiting for the receiver. */
    public Replayer(JournalTable table, TailReader tail, int parallelism, InstantSource clock) {
        this.table = table;
        this.tail = tail;
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

    /** How many groups are read ahead. */
    public int parallelism() {
        return parallelism;
    }

    /**
     * Hands the events of a range to the receiver, page by page; the next page is handed over when the stage that the receiver
     * returned is complete. Pages that {@code start} has read already are not read again. Fails if events are deleted meanwhile.
     *
     * @param budget the time that each page may take
     */
    public CompletionStage<Void> replay(
            Range range,
            RecoveryStart start,
            Function<List<Event>, ? extends CompletionStage<?>> receiver,
            Budget budget) {
        long from = Math.max(Math.max(1, range.from()), start.low());
        long end = Math.min(range.to(), start.head().sequenceNumber());
        Range bounded = new Range(range.persistenceId(), from, end, range.max());
        return scan(new EntityScan.Scope(bounded, end, true), start).forEachPage(receiver, budget);
    }

    /** A scan of a range, for who pulls the events and changes nothing. */
    CompletionStage<EntityScan> scan(Range range, Budget budget) {
        long groups = Math.min(parallelism, JournalKeys.group(range.to()) - JournalKeys.group(range.from()) + 1);
        return tail.look(range.persistenceId(), range.from(), (int) groups, budget)
                .thenApply(start -> {
                    Range stored = new Range(
                            range.persistenceId(), Math.max(range.from(), start.low()), range.to(), range.max());
                    return scan(new EntityScan.Scope(stored, start.head().sequenceNumber(), false), start);
                });
    }

    private EntityScan scan(EntityScan.Scope scope, RecoveryStart start) {
        return new EntityScan(scope, new CheckedPages(table, scope, start, parallelism), clock);
    }
}
