package io.varve.projection.internal.status;

import io.varve.store.SliceRange;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.SliceOffset;
import io.varve.store.internal.offset.SliceReach;
import io.varve.store.internal.slice.SliceBacklog;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.pattern.Patterns;

/**
 * Waits until a projection has processed all that the index holds now.
 *
 * <p>The index is asked once, for the newest events of each shard. The newest of a slice is processed when the place of the slice is
 * not before it. A slice in which nothing has happened for longer than the window may not be among them. What is in it was
 * delivered before the newest event of the shard, and is processed when a row of the shard says that all up to that one is.
 *
 * @param window how much sooner than those before it a published event can be delivered, at most
 */
public record CatchUp(
        String projection,
        OffsetTable table,
        Supplier<CompletionStage<SliceBacklog>> index,
        String entityType,
        Duration window,
        InstantSource clock,
        ActorSystem<?> system) {
    /** How many entries of a shard of the index are looked at by one request: mostly enough to find all of its slices. */
    private static final int ENTRIES = 100;

    private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    /** Completes when all of that is processed and stored, and fails after a timeout. */
    public CompletionStage<Done> done(Duration timeout) {
        Instant end = clock.instant().plus(timeout);
        return index.get()
                .thenCompose(backlog -> backlog.newest(SliceRange.all(entityType), window, ENTRIES))
                .thenCompose(newest -> until(newest, end, FIRST_PAUSE));
    }

    private CompletionStage<Done> until(List<SliceBacklog.Newest> shards, Instant end, Duration pause) {
        if (shards.isEmpty()) {
            return CompletableFuture.completedFuture(Done.getInstance());
        }
        int min = shards.stream().mapToInt(shard -> shard.slices().min()).min().orElseThrow();
        int max = shards.stream().mapToInt(shard -> shard.slices().max()).max().orElseThrow();
        return table.reach(min, max).thenCompose(reach -> {
            List<SliceBacklog.Newest> behind =
                    shards.stream().filter(shard -> !isProcessed(shard, reach)).toList();
            if (!behind.isEmpty() && !clock.instant().isBefore(end)) {
                return CompletableFuture.failedFuture(new TimeoutException("Projection '" + projection
                        + "' has not processed all events of type '" + entityType + "' that were stored when asked: "
                        + behind.size() + " of the index's shards are not done, the first with the slices "
                        + behind.get(0).slices().min() + ".."
                        + behind.get(0).slices().max()
                        + ". Is it running? Ask again, with a longer timeout."));
            }
            return behind.isEmpty()
                    ? until(behind, end, pause)
                    : Patterns.after(pause, system, () -> until(behind, end, longer(pause)));
        });
    }

    private static Duration longer(Duration pause) {
        Duration twice = pause.multipliedBy(2);
        return twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
    }

    private static boolean isProcessed(SliceBacklog.Newest shard, Map<Integer, SliceReach> reach) {
        return shard.bySlice().entrySet().stream()
                        .allMatch(found -> isAt(reach(found.getKey(), reach).place(), found.getValue()))
                && (shard.complete()
                        || IntStream.rangeClosed(
                                        shard.slices().min(), shard.slices().max())
                                .filter(slice -> !shard.bySlice().containsKey(slice))
                                .mapToObj(slice -> reach(slice, reach))
                                .allMatch(slice -> slice.coversAllUpTo(shard.newest() - 1)));
    }

    private static SliceReach reach(int slice, Map<Integer, SliceReach> reach) {
        return reach.getOrDefault(slice, SliceReach.BEGINNING);
    }

    /** By the slice's own place: floors can be ahead of what is not delivered yet, by less than the window. */
    private static boolean isAt(SliceOffset place, Event event) {
        return new SliceReach(place, 0).covers(event.persistenceId(), event.sequenceNumber(), event.timestamp());
    }
}
