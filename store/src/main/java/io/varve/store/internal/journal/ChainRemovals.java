package io.varve.store.internal.journal;

import io.varve.store.internal.async.Loop;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.replay.ChainRemover;
import io.varve.store.internal.replay.UnfinishedChain;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes what is left of chains that recoveries have given up. They do not wait for it, but the entity's next write does, because
 * it needs the numbers. What does not end in time is resumed by that write, or by the next recovery, here or elsewhere.
 */
final class ChainRemovals {
    private static final Logger LOG = LoggerFactory.getLogger(ChainRemovals.class);
    private static final int MAX_ENTITIES = 10_000;

    private record Removal(List<UnfinishedChain> chains, CompletableFuture<Void> run) {
        boolean covers(List<UnfinishedChain> others) {
            Set<String> ids = chains.stream().map(UnfinishedChain::id).collect(Collectors.toSet());
            return !run.isDone() && others.stream().map(UnfinishedChain::id).allMatch(ids::contains);
        }
    }

    private final Map<String, Removal> removals = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Removal> eldest) {
            return size() > MAX_ENTITIES; // the next recovery finds it again
        }
    };

    private final ChainRemover remover;

    ChainRemovals(ChainRemover remover) {
        this.remover = remover;
    }

    /** Begins to remove what a recovery has found. */
    synchronized void begin(String persistenceId, List<UnfinishedChain> chains, Budget budget) {
        @Nullable Removal before = removals.get(persistenceId);
        if (!chains.isEmpty() && (before == null || !before.covers(chains))) {
            start(persistenceId, chains, budget);
        }
    }

    /** Completes when the entity's numbers are free; resumes what has not ended well. */
    synchronized CompletionStage<Void> ended(String persistenceId, Budget budget) {
        @Nullable Removal removal = removals.get(persistenceId);
        if (removal == null) {
            return CompletableFuture.completedFuture(null);
        }
        return removal.run().isCompletedExceptionally()
                ? start(persistenceId, removal.chains(), budget)
                : removal.run().exceptionallyCompose(failed -> ended(persistenceId, budget));
    }

    private CompletableFuture<Void> start(String persistenceId, List<UnfinishedChain> chains, Budget budget) {
        CompletableFuture<Void> run =
                Loop.forEach(chains, chain -> remover.remove(chain, budget)).toCompletableFuture();
        Removal removal = new Removal(chains, run);
        removals.put(persistenceId, removal);
        run.whenComplete((done, thrown) -> {
            if (thrown == null) {
                forget(persistenceId, removal);
            } else {
                LOG.info(
                        "What is left of an unfinished atomic write of '{}' is not removed yet; its next write will do it.",
                        persistenceId,
                        thrown);
            }
        });
        return run;
    }

    private synchronized void forget(String persistenceId, Removal removal) {
        removals.remove(persistenceId, removal);
    }
}
