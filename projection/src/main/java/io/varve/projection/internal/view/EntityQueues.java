package io.varve.projection.internal.view;

import io.varve.projection.internal.progress.InFlight;
import io.varve.store.internal.async.Causes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.pekko.Done;
import org.jspecify.annotations.Nullable;

/**
 * Lets what waits of an entity be processed together, and so many entities at the same time. After a failure nothing of that entity is
 * processed any more: the stream ends.
 */
public final class EntityQueues<E> {
    /** How many events of an entity are processed together at most. */
    private static final int TOGETHER = 1_000;

    private final int parallelism;
    private final Work<E> work;
    private final Map<String, Line<E>> lines = new HashMap<>();
    private final Queue<Line<E>> ready = new ArrayDeque<>();
    private int running;

    /** Processes events of an entity, all of them. */
    public interface Work<E> {
        CompletionStage<Done> process(List<InFlight<E>> events);
    }

    public EntityQueues(int parallelism, Work<E> work) {
        this.parallelism = parallelism;
        this.work = work;
    }

    /** The events of an entity that wait. */
    private static final class Line<E> {
        private final String persistenceId;
        private final Queue<Waiting<E>> waiting = new ArrayDeque<>();
        private @Nullable Throwable failure;

        Line(String persistenceId) {
            this.persistenceId = persistenceId;
        }
    }

    private record Waiting<E>(InFlight<E> event, CompletableFuture<Done> done) {}

    /** Processes an event when its turn has come. */
    public CompletionStage<Done> add(InFlight<E> event) {
        CompletableFuture<Done> done = new CompletableFuture<>();
        synchronized (this) {
            String persistenceId = event.position().persistenceId();
            Line<E> line = lines.get(persistenceId);
            if (line == null) {
                line = new Line<>(persistenceId);
                lines.put(persistenceId, line);
                ready.add(line);
            } else if (line.failure != null) {
                return CompletableFuture.failedFuture(line.failure);
            }
            line.waiting.add(new Waiting<>(event, done));
        }
        begin();
        return done;
    }

    private void begin() {
        while (true) {
            Line<E> line;
            List<Waiting<E>> taken = new ArrayList<>();
            synchronized (this) {
                if (running == parallelism || ready.isEmpty()) {
                    return;
                }
                line = ready.remove();
                while (!line.waiting.isEmpty() && taken.size() < TOGETHER) {
                    taken.add(line.waiting.remove());
                }
                running++;
            }
            Thread here = Thread.currentThread();
            AtomicBoolean beginning = new AtomicBoolean(true);
            work.process(taken.stream().map(Waiting::event).toList()).whenComplete((done, thrown) -> {
                over(line, taken, thrown);
                if (!beginning.get()
                        || Thread.currentThread() != here) { // else the loop goes on, and the stack does not grow
                    begin();
                }
            });
            beginning.set(false);
        }
    }

    private void over(Line<E> line, List<Waiting<E>> taken, @Nullable Throwable thrown) {
        List<Waiting<E>> told = new ArrayList<>(taken);
        synchronized (this) {
            running--;
            if (thrown != null) {
                line.failure = Causes.unwrap(thrown);
                told.addAll(line.waiting);
                line.waiting.clear();
            } else if (line.waiting.isEmpty()) {
                lines.remove(line.persistenceId);
            } else {
                ready.add(line);
            }
        }
        for (Waiting<E> event : told) {
            if (thrown == null) {
                event.done.complete(Done.getInstance());
            } else {
                event.done.completeExceptionally(Causes.unwrap(thrown));
            }
        }
    }
}
