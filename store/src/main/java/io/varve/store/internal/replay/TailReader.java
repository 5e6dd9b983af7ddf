package io.varve.store.internal.replay;

import io.varve.store.internal.client.Budget;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.LastWritten;
import io.varve.store.internal.table.JournalTable;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Finds the end of an entity: its highest sequence number, and what a recovery has to know and to do besides. */
public final class TailReader {
    private final boolean highDistrust;
    private final InstantSource clock;

    /** A reader; with {@code highDistrust} it looks one group further also after one whose last place is free. */
    public TailReader(boolean highDistrust, InstantSource clock) {
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
            JournalTable table,
            String persistenceId,
            long hint,
            int prefetch,
            Supplier<? extends CompletionStage<?>> ownWrites,
            Budget budget) {
        return new Finding(scope(table, persistenceId, hint, prefetch, budget), Optional.of(ownWrites)).tail();
    }

    /**
     * The tail for a reader that wants the events from a number on, and changes nothing. Its head is 0 if there are none, and
     * lies before an unfinished atomic write. What is deleted meanwhile may make it too low, and the reader has to ask again.
     *
     * @param prefetch how many groups to fetch at once, at least 1
     */
    public CompletionStage<RecoveryStart> look(
            JournalTable table, String persistenceId, long from, int prefetch, Budget budget) {
        Finding finding = new Finding(scope(table, persistenceId, from, prefetch, budget), Optional.empty());
        TailSearch search = new TailSearch(finding.scope);
        return search.run()
                .thenCompose(found -> finding.finished(search, found))
                .thenApply(last -> search.tail(
                        last.filter(event -> event.sequenceNumber() >= from), 0, 0, List.of(), clock.instant()));
    }

    /** The highest sequence number as {@link #read} finds it, without a change of the table. */
    public CompletionStage<Long> last(JournalTable table, String persistenceId, Budget budget) {
        return new Finding(scope(table, persistenceId, 0, 0, budget), Optional.empty())
                .find((search, last) ->
                        CompletableFuture.completedFuture(search.tail(last, 0, 0, List.of(), clock.instant())
                                .head()
                                .sequenceNumber()));
    }

    /** The end of the entity as {@link #read} finds it, without a change of the table. */
    public CompletionStage<LastWritten> head(JournalTable table, String persistenceId, Budget budget) {
        return new Finding(scope(table, persistenceId, 0, 0, budget), Optional.empty())
                .tail()
                .thenApply(RecoveryStart::head);
    }

    private TailSearch.Scope scope(JournalTable table, String persistenceId, long hint, int prefetch, Budget budget) {
        return new TailSearch.Scope(table, persistenceId, hint, prefetch, highDistrust, budget);
    }

    /** What becomes of the last event that was found, when it is certain. */
    private interface Outcome<T> {
        CompletionStage<T> of(TailSearch search, Optional<Event> last);
    }

    /** Searches until what was found is certain. */
    private final class Finding {
        private final TailSearch.Scope scope;
        private final Optional<Supplier<? extends CompletionStage<?>>> ownWrites;
        private final Set<String> givenUp = new HashSet<>();
        private final List<UnfinishedChain> leftovers = new ArrayList<>();
        private Optional<Event> half = Optional.empty();

        /** Without {@code ownWrites} nothing is given up. */
        Finding(TailSearch.Scope scope, Optional<Supplier<? extends CompletionStage<?>>> ownWrites) {
            this.scope = scope;
            this.ownWrites = ownWrites;
        }

        CompletionStage<RecoveryStart> tail() {
            return find((search, last) -> search.timestamp(last)
                    .thenApply(timestamp ->
                            search.tail(last, scope.hint(), timestamp, List.copyOf(leftovers), clock.instant())));
        }

        <T> CompletionStage<T> find(Outcome<T> outcome) {
            TailSearch search = new TailSearch(scope);
            leftovers.clear();
            return search.runFromHint().thenCompose(found -> {
                if (found.filter(this::mayBeHalfRead).isPresent()) {
                    half = found;
                    return find(outcome);
                }
                return finished(search, found).thenCompose(last -> {
                    if (last.filter(search::isOfUnfinishedChain).isPresent()) {
                        return giveUp(last.get()).thenCompose(done -> find(outcome));
                    }
                    boolean certain = found.equals(last) && search.isCertain(last);
                    return (certain ? CompletableFuture.completedFuture(false) : search.wasOvertaken())
                            .thenCompose(overtaken -> overtaken ? find(outcome) : outcome.of(search, last));
                });
            });
        }

        /**
         * Whether the rest of this event's atomic write may have been stored while it was being looked for: then a second look shows
         * it, unless it is really missing, as after a batch without transactions.
         */
        private boolean mayBeHalfRead(Event last) {
            return last.batch().isPresent()
                    && !UnfinishedChain.isPartOf(last)
                    && last.sequenceNumber() < last.batchEnd()
                    && !half.equals(Optional.of(last));
        }

        /** The event itself, or the last one before unfinished chains; one that has to be given up first is returned. */
        CompletionStage<Optional<Event>> finished(TailSearch search, Optional<Event> found) {
            Optional<UnfinishedChain> chain =
                    found.filter(search::isOfUnfinishedChain).map(last -> UnfinishedChain.of(scope.table(), last));
            if (chain.isEmpty()
                    || (ownWrites.isPresent() && !givenUp.contains(chain.get().id()))) {
                return CompletableFuture.completedFuture(found);
            }
            if (ownWrites.isPresent()) {
                leftovers.add(chain.get());
            }
            return search.lastBefore(chain.get()).thenCompose(before -> finished(search, before));
        }

        private CompletionStage<Void> giveUp(Event last) {
            UnfinishedChain chain = UnfinishedChain.of(scope.table(), last);
            return ownWrites
                    .orElseThrow()
                    .get()
                    .thenCompose(ended -> chain.giveUp(scope.budget()))
                    .thenAccept(gone -> {
                        if (gone) {
                            givenUp.add(chain.id());
                        }
                    });
        }
    }
}
