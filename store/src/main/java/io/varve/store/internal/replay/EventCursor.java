package io.varve.store.internal.replay;

import io.varve.store.internal.client.Budget;
import io.varve.store.internal.layout.Event;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An entity's complete events in order, as they are pulled; nothing is read before the first call. */
public final class EventCursor {
    private final Replayer.Range range;
    private final Supplier<CompletionStage<Replayer>> replayer;
    private final Supplier<Budget> budgets;
    private volatile @Nullable EntityScan scan;

    /**
     * A cursor over a range.
     *
     * @param replayer gives what reads the events, when the first of them are asked for
     * @param budgets the time that each call has
     */
    public EventCursor(Replayer.Range range, Supplier<CompletionStage<Replayer>> replayer, Supplier<Budget> budgets) {
        this.range = range;
        this.replayer = replayer;
        this.budgets = budgets;
    }

    /**
     * The next events, never none; empty at the end of what was stored when the first call was made. To be called again when the
     * stage is complete. After a failure, go on with another cursor from {@link #nextSequenceNumber}.
     */
    public CompletionStage<Optional<List<Event>>> next() {
        if (range.from() > range.to()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        Budget budget = budgets.get();
        EntityScan begun = scan;
        return begun != null
                ? begun.next(budget)
                : replayer.get().thenCompose(ready -> ready.scan(range, budget)).thenCompose(ready -> {
                    scan = ready;
                    return ready.next(budget);
                });
    }

    /**
     * Where another cursor has to begin to miss nothing and repeat nothing: after the last event, but not after an atomic write
     * that may become complete.
     */
    public long nextSequenceNumber() {
        EntityScan begun = scan;
        return begun == null ? range.from() : begun.nextSequenceNumber();
    }
}
