package io.varve.store.internal.replay;

import io.varve.store.internal.client.Budget;
import io.varve.store.internal.layout.LastWritten;
import io.varve.store.internal.table.JournalTable;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Finds the end of an entity: its highest sequence number, and what a recovery has to know and to do besides. */
public final class TailReader {
    private final JournalTable table;
    private final boolean highDistrust;
    private final InstantSource clock;

    /** A reader; with {@code highDistrust} it looks one group further also after one whose last place is free. */
    public TailReader(JournalTable table, boolean highDistrust, InstantSource clock) {
        this.table = table;
        this.highDistrust = highDistrust;
        this.clock = clock;
    }

    /**
     * The tail of an entity for who is going to write, given a number that it is not below.
     *
     * <p>Gives up an unfinished chain at the tail. Who must change nothing asks {@link #look}, {@link #head} or {@link #last}.
     *
     * @param prefetch how many groups to fetch at once for the replay that follows, the hint's first; 0 if none follows
     * @param ownWrites completes when this node's writes of the entity have ended: one of them may be the chain
     */
    public CompletionStage<RecoveryStart> read(
            String persistenceId,
            long hint,
            int prefetch,
            Supplier<? extends CompletionStage<?>> ownWrites,
            Budget budget) {
        TailSearch.Scope scope = new TailSearch.Scope(persistenceId, hint, prefetch, budget);
        return tail(scope, finding(scope, Optional.of(ownWrites)));
    }

    /**
     * The tail for a reader that wants the events from a number on, and changes nothing. Its head is 0 if there are none, and
     * lies before an unfinished atomic write. What is deleted meanwhile may make it too low, and the reader has to ask again.
     *
     * @param prefetch how many groups to fetch at once, at least 1
     */
    CompletionStage<RecoveryStart> look(String persistenceId, long from, int prefetch, Budget budget) {
        TailSearch.Scope scope = new TailSearch.Scope(persistenceId, from, prefetch, budget);
        TailSearch search = search(scope);
        return search.run()
                .thenCompose(found -> finding(scope, Optional.empty()).finished(search, found))
                .thenApply(last -> search.tail(
                        last.filter(event -> event.sequenceNumber() >= from), 0, 0, List.of(), clock.instant()));
    }

    /** The highest sequence number as {@link #read} finds it, without a change of the table. */
    public CompletionStage<Long> last(String persistenceId, Budget budget) {
        TailSearch.Scope scope = new TailSearch.Scope(persistenceId, 0, 0, budget);
        return finding(scope, Optional.empty())
                .find((search, last) ->
                        CompletableFuture.completedFuture(search.tail(last, 0, 0, List.of(), clock.instant())
                                .head()
                                .sequenceNumber()));
    }

    /** The end of the entity as {@link #read} finds it, without a change of the table. */
    public CompletionStage<LastWritten> head(String persistenceId, Budget budget) {
        TailSearch.Scope scope = new TailSearch.Scope(persistenceId, 0, 0, budget);
        return tail(scope, finding(scope, Optional.empty())).thenApply(RecoveryStart::head);
    }

    private CompletionStage<RecoveryStart> tail(TailSearch.Scope scope, TailFinding finding) {
        return finding.find((search, last) -> search.timestamp(last)
                .thenApply(
                        timestamp -> search.tail(last, scope.hint(), timestamp, finding.leftovers(), clock.instant())));
    }

    private TailFinding finding(TailSearch.Scope scope, Optional<Supplier<? extends CompletionStage<?>>> ownWrites) {
        return new TailFinding(
                () -> search(scope),
                ownWrites.map(ended -> chain ->
                        ended.get().thenCompose(done -> new ChainRemover(table).giveUp(chain, scope.budget()))));
    }

    private TailSearch search(TailSearch.Scope scope) {
        return new TailSearch(table, scope, highDistrust);
    }
}
