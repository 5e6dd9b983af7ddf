package io.varve.projection.internal.delivery;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.pekko.Done;

/**
 * Lets the tasks of one entity run one after another; after one that failed none runs, also if it is added before the stream has
 * heard of the failure. They are added by one thread.
 */
public final class EntityLanes {
    private final Map<String, CompletableFuture<Done>> last = new ConcurrentHashMap<>();

    public CompletionStage<Done> run(String persistenceId, Supplier<CompletionStage<Done>> task) {
        CompletableFuture<Done> before = last.get(persistenceId);
        CompletableFuture<Done> done =
                (before == null ? task.get() : before.thenCompose(ok -> task.get())).toCompletableFuture();
        last.put(persistenceId, done);
        done.thenRun(() -> last.remove(persistenceId, done));
        return done;
    }
}
