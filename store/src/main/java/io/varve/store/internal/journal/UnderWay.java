package io.varve.store.internal.journal;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What this node is doing with entities just now. */
final class UnderWay {
    private final Map<String, CompletableFuture<?>> works = new HashMap<>();

    /** A work on an entity has begun, and ends with its stage; returns when those before it have ended. */
    CompletionStage<?> begin(String persistenceId, CompletableFuture<?> work) {
        CompletableFuture<?> earlier;
        CompletableFuture<?> all;
        synchronized (this) {
            earlier = works.getOrDefault(persistenceId, CompletableFuture.completedFuture(null));
            CompletableFuture<?> ended = work.handle((done, thrown) -> true);
            all = earlier.isDone() ? ended : CompletableFuture.allOf(earlier, ended);
            works.put(persistenceId, all);
        }
        all.whenComplete((done, thrown) -> {
            synchronized (this) {
                works.remove(persistenceId, all);
            }
        });
        return earlier;
    }

    /** Completes when all that is under way for an entity has ended, well or not. */
    synchronized CompletionStage<?> ended(String persistenceId) {
        return works.getOrDefault(persistenceId, CompletableFuture.completedFuture(null));
    }
}
