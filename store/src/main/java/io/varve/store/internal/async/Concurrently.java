package io.varve.store.internal.async;

import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs an asynchronous action for each element, a bounded number at once; the first failure stops further starts. The stage ends
 * whatever is thrown, errors included: somebody waits for it.
 */
public final class Concurrently {
    private Concurrently() {}

    /** Completes when every action has, or, after a failure, when those under way have. */
    public static <T> CompletionStage<Void> run(
            Iterable<T> elements, int limit, Function<? super T, ? extends CompletionStage<?>> action) {
        Run<T> run = new Run<>(elements.iterator(), action);
        for (int worker = 0; worker < limit && run.next(); worker++) {}
        run.release();
        return run.result;
    }

    private static final class Run<T> {
        private final Iterator<T> elements;
        private final Function<? super T, ? extends CompletionStage<?>> action;
        private final CompletableFuture<Void> result = new CompletableFuture<>();
        private int holds = 1;
        private @Nullable Throwable failure;

        Run(Iterator<T> elements, Function<? super T, ? extends CompletionStage<?>> action) {
            this.elements = elements;
            this.action = action;
        }

        /** Starts the next action, and keeps starting while actions complete at once. */
        boolean next() {
            while (true) {
                T element;
                synchronized (this) {
                    try {
                        if (failure != null || !elements.hasNext()) {
                            return false;
                        }
                        element = elements.next();
                    } catch (RuntimeException | Error e) {
                        finished(e);
                        return false;
                    }
                    holds++;
                }
                CompletableFuture<?> started = start(element);
                if (!started.isDone()) {
                    started.whenComplete((done, thrown) -> {
                        finished(thrown);
                        next();
                        release();
                    });
                    return true;
                }
                started.whenComplete((done, thrown) -> finished(thrown));
                release();
            }
        }

        private CompletableFuture<?> start(T element) {
            try {
                return action.apply(element).toCompletableFuture();
            } catch (RuntimeException | Error e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        private synchronized void finished(@Nullable Throwable thrown) {
            if (thrown != null && failure == null) {
                failure = Causes.unwrap(thrown);
            }
        }

        void release() {
            Throwable failed;
            synchronized (this) {
                if (--holds > 0) {
                    return;
                }
                failed = failure;
            }
            if (failed == null) {
                result.complete(null);
            } else {
                result.completeExceptionally(failed);
            }
        }
    }
}
