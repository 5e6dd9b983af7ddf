package io.varve.store.internal.async;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A value that is loaded when it is first asked for. A failure is not kept, nor is a value that is not worth it. */
public final class Remembered<T> {
    private final Supplier<CompletionStage<T>> load;
    private final Predicate<T> keep;
    private final AtomicReference<@Nullable CompletableFuture<T>> value = new AtomicReference<>();

    /** A value that {@code load} gives, which is kept if {@code keep} says so. */
    public Remembered(Supplier<CompletionStage<T>> load, Predicate<T> keep) {
        this.load = load;
        this.keep = keep;
    }

    /** The value; who asks while it is being loaded gets the same. */
    public CompletionStage<T> get() {
        CompletableFuture<T> known = value.get();
        if (known != null && (!known.isDone() || isKept(known))) {
            return known;
        }
        CompletableFuture<T> loading = new CompletableFuture<>();
        if (!value.compareAndSet(known, loading)) {
            return get();
        }
        CompletableFuture.completedFuture(load).thenCompose(Supplier::get).whenComplete((loaded, thrown) -> {
            if (thrown == null) {
                loading.complete(loaded);
            } else {
                loading.completeExceptionally(thrown);
            }
        });
        return loading;
    }

    private boolean isKept(CompletableFuture<T> known) {
        return !known.isCompletedExceptionally() && keep.test(known.join());
    }
}
