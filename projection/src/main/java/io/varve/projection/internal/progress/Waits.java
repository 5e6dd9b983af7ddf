package io.varve.projection.internal.progress;

import io.varve.store.VarveException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.pekko.Done;
import org.jspecify.annotations.Nullable;

/** Those who wait until events of entities are processed. They go on in an executor, not under the lock of the progress. */
final class Waits {
    static final int MOST = 10_000;

    private final Map<String, List<Wait>> byEntity = new HashMap<>();
    private int size;
    private @Nullable RuntimeException ended;

    /** One who waits for an event, and goes on in an executor. */
    private record Wait(long number, CompletableFuture<Done> told, Executor executor) {}

    CompletableFuture<Done> add(String persistenceId, long number, Executor executor) {
        if (ended != null) {
            return CompletableFuture.failedFuture(ended);
        }
        if (size >= MOST) {
            return CompletableFuture.failedFuture(new VarveException("Event " + number + " of '" + persistenceId
                    + "' cannot be waited for: " + MOST + " callers on this node wait for the projection already."));
        }
        Wait wait = new Wait(number, new CompletableFuture<>(), executor);
        byEntity.computeIfAbsent(persistenceId, id -> new ArrayList<>(1)).add(wait);
        size++;
        return wait.told();
    }

    /** Forgets those whose callers have given up. */
    void removeDone(String persistenceId) {
        List<Wait> waits = byEntity.get(persistenceId);
        if (waits != null) {
            int before = waits.size();
            waits.removeIf(wait -> wait.told().isDone());
            size -= before - waits.size();
            if (waits.isEmpty()) {
                byEntity.remove(persistenceId);
            }
        }
    }

    /** All events of an entity up to this number are processed. */
    void reached(String persistenceId, long number) {
        List<Wait> waits = byEntity.get(persistenceId);
        if (waits != null) {
            List<Wait> over =
                    waits.stream().filter(wait -> wait.number() <= number).toList();
            waits.removeAll(over);
            size -= over.size();
            if (waits.isEmpty()) {
                byEntity.remove(persistenceId);
            }
            over.forEach(wait -> wait.told().completeAsync(Done::getInstance, wait.executor()));
        }
    }

    /** Nothing is processed here any more. */
    void fail(RuntimeException cause) {
        ended = cause;
        List<Wait> all = byEntity.values().stream().flatMap(Collection::stream).toList();
        byEntity.clear();
        size = 0;
        all.forEach(wait -> wait.executor().execute(() -> wait.told().completeExceptionally(cause)));
    }
}
