package io.varve.projection.internal.status;

import io.varve.projection.ProjectionLag;
import io.varve.store.SliceRange;
import io.varve.store.Slices;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.SliceReach;
import io.varve.store.internal.slice.SliceBacklog;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Counts what waits for a projection: its rows say how far it is, the index what comes after that. */
public record LagReader(
        OffsetTable table, Supplier<CompletionStage<SliceBacklog>> index, String entityType, InstantSource clock) {
    /** How many entries of a shard of the index are looked at. */
    private static final int ENTRIES = 100;

    /** For each of these ranges of slices. */
    public CompletionStage<List<ProjectionLag>> lag(List<SliceRange> ranges) {
        return index.get()
                .thenCompose(
                        backlog -> table.reach(0, Slices.NUMBER - 1).thenCompose(reach -> lag(ranges, backlog, reach)));
    }

    private CompletionStage<List<ProjectionLag>> lag(
            List<SliceRange> ranges, SliceBacklog backlog, Map<Integer, SliceReach> reach) {
        List<ProjectionLag> lags = new ArrayList<>();
        CompletionStage<?> counted = CompletableFuture.completedFuture(null);
        for (SliceRange range : ranges) {
            counted = counted.thenCompose(before -> backlog.waiting(
                            range, slices -> from(slices, reach), event -> covers(reach, event), ENTRIES)
                    .thenAccept(waiting -> lags.add(sum(range, waiting))));
        }
        return counted.thenApply(done -> lags);
    }

    private static long from(SliceRange slices, Map<Integer, SliceReach> reach) {
        return IntStream.rangeClosed(slices.min(), slices.max())
                .mapToLong(
                        slice -> reach.getOrDefault(slice, SliceReach.BEGINNING).from())
                .min()
                .orElseThrow();
    }

    private static boolean covers(Map<Integer, SliceReach> reach, Event event) {
        return reach.getOrDefault(Slices.of(event.persistenceId()), SliceReach.BEGINNING)
                .covers(event.persistenceId(), event.sequenceNumber(), event.timestamp());
    }

    private ProjectionLag sum(SliceRange range, List<SliceBacklog.Waiting> waiting) {
        return new ProjectionLag(
                range.min(),
                range.max(),
                waiting.stream().mapToLong(SliceBacklog.Waiting::events).sum(),
                waiting.stream().anyMatch(SliceBacklog.Waiting::more),
                waiting.stream()
                        .flatMapToLong(shard -> shard.oldest().stream())
                        .mapToObj(this::age)
                        .max(Comparator.naturalOrder())
                        .orElse(Duration.ZERO));
    }

    /** The clock of the writer can be ahead. */
    private Duration age(long timestamp) {
        Duration age = Duration.between(Microseconds.toInstant(timestamp), clock.instant());
        return age.isNegative() ? Duration.ZERO : age;
    }
}
