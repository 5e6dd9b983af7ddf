package io.varve.store.internal.replay;

import io.varve.store.internal.layout.Event;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/** Searches for the last event of an entity until what was found is certain; gives up unfinished chains on the way, or passes them over. */
final class TailFinding {
    private final Supplier<TailSearch> searches;
    private final Optional<Function<UnfinishedChain, CompletionStage<Boolean>>> giveUp;
    private final Set<String> givenUp = new HashSet<>();
    private final List<UnfinishedChain> leftovers = new ArrayList<>();
    private Optional<Event> half = Optional.empty();

    /** What becomes of the last event that was found, when it is certain. */
    interface Outcome<T> {
        CompletionStage<T> of(TailSearch search, Optional<Event> last);
    }

    /**
     * Finds with as many searches as it takes.
     *
     * @param giveUp gives a chain up, unless it was finished meanwhile: then false. Without it, nothing is given up
     */
    TailFinding(Supplier<TailSearch> searches, Optional<Function<UnfinishedChain, CompletionStage<Boolean>>> giveUp) {
        this.searches = searches;
        this.giveUp = giveUp;
    }

    <T> CompletionStage<T> find(Outcome<T> outcome) {
        TailSearch search = searches.get();
        leftovers.clear();
        return search.runFromHint().thenCompose(found -> {
            if (found.filter(this::mayBeHalfRead).isPresent()) {
                half = found;
                return find(outcome);
            }
            return finished(search, found).thenCompose(last -> {
                if (last.filter(search::isOfUnfinishedChain).isPresent()) {
                    return giveUp(UnfinishedChain.of(last.get())).thenCompose(done -> find(outcome));
                }
                return (search.isCertain() ? CompletableFuture.completedFuture(false) : search.wasOvertaken())
                        .thenCompose(overtaken -> overtaken ? find(outcome) : outcome.of(search, last));
            });
        });
    }

    /** What the chains have left that were given up and stand after the last event. */
    List<UnfinishedChain> leftovers() {
        return List.copyOf(leftovers);
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
                found.filter(search::isOfUnfinishedChain).map(UnfinishedChain::of);
        if (chain.isEmpty()
                || (giveUp.isPresent() && !givenUp.contains(chain.get().id()))) {
            return CompletableFuture.completedFuture(found);
        }
        if (giveUp.isPresent()) {
            leftovers.add(chain.get());
        }
        return search.lastBefore(chain.get()).thenCompose(before -> finished(search, before));
    }

    private CompletionStage<Void> giveUp(UnfinishedChain chain) {
        return giveUp.orElseThrow().apply(chain).thenAccept(gone -> {
            if (gone) {
                givenUp.add(chain.id());
            }
        });
    }
}
