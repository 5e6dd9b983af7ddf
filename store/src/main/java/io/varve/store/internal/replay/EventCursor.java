package io.varve.store.internal.replay;

import io.varve.store.internal.client.Budget;
import io.varve.store.internal.layout.Event;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An entity's complete events in order, as they are pulled; nothing is read before the first call. */
public final class EventCursor {
    private final long from;
    private final long to;
    private final Supplier<Budget> budgets;
    private final Function<Budget, CompletionStage<EntityScan>> open;
    private volatile @Nullable EntityScan pass;

    EventCursor(long from, long to, Supplier<Budget> budgets, Function<Budget, CompletionStage<EntityScan>> open) {
        this.from = from;
        this.to = to;
        this.budgets = budgets;
        this.open = open;
    }

    /**
     * The next events, never none; empty at the end of what was stored when the first call was made. To be called again when the
     * stage is complete. After a failure, go on with another cursor from {@link #nextSequenceNumber}.
     */
    public CompletionStage<Optional<List<Event>>> next() {
        if (from > to) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        Budget budget = budgets.get();
        EntityScan opened = pass;
        return opened != null
                ? opened.next(budget)
                : open.apply(budget).thenCompose(ready -> {
                    pass = ready;
                    return ready.next(budget);
                });
    }

    /**
     * Where another cursor has to begin to miss nothing and repeat nothing: after the last event, but not after an atomic write
     * that may become complete.
     */
    public long nextSequenceNumber() {
        EntityScan opened = pass;
        return opened == null ? from : opened.nextSequenceNumber();
    }
}
