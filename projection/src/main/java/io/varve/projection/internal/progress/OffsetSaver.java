package io.varve.projection.internal.progress;

import io.varve.projection.ProgressObserver;
import io.varve.projection.internal.retry.OutageRetries;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.async.Concurrently;
import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.SliceOffset;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.projection.ProjectionId;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stores the progress of a stream: rows of entities as they are given, and from time to time the places of slices. */
public final class OffsetSaver {
    private static final Logger LOG = LoggerFactory.getLogger(OffsetSaver.class);
    private static final int PARALLEL_SAVES = 4;
    /** How often places are stored before the rows of entities whose last events were dropped are. */
    private static final int FLUSHES_BETWEEN_DROPPED = 10;
    /** With so many of them nothing waits. */
    private static final int MANY_DROPPED = 1_000;

    private final ProjectionId id;
    private final OffsetTable table;
    private final int batchSize;
    private final StreamProgress progress;
    private final ProgressObserver observers;
    private final OutageRetries outages;
    private volatile boolean exactlyOnce;
    private int flushes;
    private volatile CompletionStage<?> saving = CompletableFuture.completedFuture(null);
    private CompletableFuture<Boolean> flushing = CompletableFuture.completedFuture(true);

    /** @param batchSize how many rows of entities are saved by one request */
    public OffsetSaver(
            ProjectionId id,
            OffsetTable table,
            int batchSize,
            StreamProgress progress,
            ProgressObserver observers,
            OutageRetries outages) {
        this.id = id;
        this.table = table;
        this.batchSize = batchSize;
        this.progress = progress;
        this.observers = observers;
        this.outages = outages;
    }

    /** From now on, rows of entities are stored by {@link Transactions}, and not by {@link #save}. */
    public void exactlyOnce() {
        exactlyOnce = true;
    }

    /** Stores the rows of the entities whose events were processed, however long it takes. */
    public CompletionStage<Void> save(List<? extends InFlight<?>> processed) {
        Map<String, LastProcessed> last = new HashMap<>();
        processed.forEach(event ->
                last.put(event.position().persistenceId(), event.position().asProcessed()));
        List<LastProcessed> rows = List.copyOf(last.values());
        List<List<LastProcessed>> batches = new ArrayList<>();
        for (int i = 0; i < rows.size(); i += batchSize) {
            batches.add(rows.subList(i, Math.min(rows.size(), i + batchSize)));
        }
        return Concurrently.run(
                batches, PARALLEL_SAVES, batch -> outages.runStubbornly(() -> table.save(batch, progress.sets())));
    }

    /** Lets {@link #saved} wait for this, too, because it ends with a save. */
    public <T> CompletionStage<T> saving(Supplier<CompletionStage<T>> action) {
        CompletableFuture<T> whole = new CompletableFuture<>();
        saving = whole;
        action.get().whenComplete((done, thrown) -> {
            if (thrown == null) {
                whole.complete(done);
            } else {
                whole.completeExceptionally(thrown);
            }
        });
        return whole;
    }

    /** Completes when no rows are being stored, whether that succeeds or not. */
    public CompletionStage<?> saved() {
        return saving.handle((saved, thrown) -> null);
    }

    /** Stores the places of slices that have moved, unless that is being done. */
    public synchronized void flush() {
        if (flushing.isDone()) {
            flushes++;
            boolean often = flushes % FLUSHES_BETWEEN_DROPPED != 0 && progress.dropped() < MANY_DROPPED;
            flushing = often
                    ? flushPlaces(progress.takeChanged())
                    : flushDropped().thenCompose(done -> flushPlaces(progress.takeChanged()));
        }
    }

    /**
     * Stores, however long it takes, the places of those of these slices that an event on its way is late for: if the instance dies
     * now, the next one must find it.
     */
    public synchronized CompletionStage<?> takeBack(Set<Integer> slices) {
        if (progress.skipped(slices).isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletionStage<?> stored = flushing.thenCompose(before -> outages.run(() -> storeBack(slices)));
        flushing = stored.<Boolean>handle((done, thrown) -> thrown == null).toCompletableFuture();
        return stored;
    }

    private CompletionStage<Void> storeBack(Set<Integer> slices) {
        Map<Integer, SliceOffset> back = progress.skipped(slices);
        progress.notStored(back.keySet()); // until all of them have moved on
        return back.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : table.save(back, progress.sets()).thenRun(() -> progress.stored(back));
    }

    /**
     * Stores the places of slices for the last time. A stop does not wait for DynamoDB: if it did not work just now, only what a
     * restart would miss is a reason to try again.
     */
    public synchronized CompletionStage<Boolean> lastFlush() {
        flushing = flushing.thenCompose(worked -> {
            if (worked) {
                return flushDropped().thenCompose(done -> flushPlaces(progress.takeLast()));
            }
            return progress.skipsAny() ? flushPlaces(progress.takeLast()) : CompletableFuture.completedFuture(false);
        });
        return flushing;
    }

    /** Stores rows that spare the next start a look at events without effect. If that does not work, it is done another time. */
    private CompletableFuture<Void> flushDropped() {
        List<LastProcessed> dropped = progress.takeDropped();
        if (dropped.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletionStage<Void> stored =
                exactlyOnce ? table.raise(dropped, progress.sets()) : table.raiseSaved(dropped, progress.sets());
        return stored.<Void>handle((raised, thrown) -> {
                    if (thrown == null) {
                        progress.storedDropped(dropped);
                    } else {
                        LOG.warn(
                                "{}: that the events of {} entities were dropped could not be stored and will be again: {}",
                                id.id(),
                                dropped.size(),
                                Causes.unwrap(thrown).getMessage());
                    }
                    return null;
                })
                .toCompletableFuture();
    }

    private CompletableFuture<Boolean> flushPlaces(Map<Integer, SliceOffset> changed) {
        return changed.isEmpty()
                ? CompletableFuture.completedFuture(true)
                : table.save(changed, progress.floors(changed.keySet()), progress.sets())
                        .handle((saved, thrown) -> {
                            flushed(changed, thrown);
                            return thrown == null;
                        })
                        .toCompletableFuture();
    }

    private void flushed(Map<Integer, SliceOffset> places, @Nullable Throwable thrown) {
        if (thrown == null) {
            progress.stored(places);
            places.forEach((slice, place) -> {
                Instant seen = Microseconds.toInstant(progress.seen(slice));
                Instant stored = Microseconds.toInstant(place.timestamp());
                observers.stored(id, slice, seen, stored);
            });
        } else {
            progress.notStored(places.keySet());
            LOG.warn(
                    "{}: the places of {} slices could not be stored and will be again: {}",
                    id.id(),
                    places.size(),
                    Causes.unwrap(thrown).getMessage());
        }
    }
}
