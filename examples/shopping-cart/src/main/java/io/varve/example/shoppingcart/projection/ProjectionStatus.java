package io.varve.example.shoppingcart.projection;

import io.varve.example.shoppingcart.EventFeed;
import io.varve.persistence.query.SliceOffsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.persistence.query.TimestampOffset;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.javadsl.ProjectionManagement;

/**
 * How far the projections are, on whatever nodes they run: the places that they have stored, compared with the events that this
 * node's feed has seen. The answer is kept for a moment, because many may ask and each time the offset table is read.
 */
public final class ProjectionStatus {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final ActorSystem<?> system;
    private final Projections projections;
    private final ActorRef<EventFeed.Command> feed;
    private final Duration keptFor;
    private CompletionStage<List<Status>> latest =
            CompletableFuture.failedFuture(new IllegalStateException("Not read yet"));
    private Instant latestUntil = Instant.EPOCH;

    /** The status of these projections. */
    public ProjectionStatus(ActorSystem<?> system, Projections projections, ActorRef<EventFeed.Command> feed) {
        this.system = system;
        this.projections = projections;
        this.feed = feed;
        this.keptFor = system.settings().config().getDuration("shopping-cart.status-interval");
    }

    /** A projection with all its instances. */
    public record Status(String name, List<InstanceStatus> instances) {}

    /**
     * An instance.
     *
     * @param key its slices
     * @param newest the time of the newest event that it has processed
     * @param behind how many events wait for it
     * @param oldestWaiting since when the first of them does
     */
    public record InstanceStatus(
            String key, boolean paused, Optional<Instant> newest, int behind, Optional<Instant> oldestWaiting) {}

    /** All projections, as they were at most a moment ago. */
    public synchronized CompletionStage<List<Status>> all() {
        if (Instant.now().isAfter(latestUntil)) {
            latestUntil = Instant.now().plus(keptFor);
            latest = inOrder(Projections.NAMES.stream().map(this::read).toList());
        }
        return latest;
    }

    /** Makes the next answer a new one. */
    public synchronized void forget() {
        latestUntil = Instant.EPOCH;
    }

    private CompletionStage<Status> read(String name) {
        return inOrder(projections.instances().stream()
                        .map(instance -> read(instance, instance.of(name)))
                        .toList())
                .thenApply(instances -> new Status(name, instances));
    }

    private CompletionStage<InstanceStatus> read(Projections.Instance instance, ProjectionId id) {
        ProjectionManagement management = ProjectionManagement.get(system);
        return management
                .isPaused(id)
                .thenCombine(
                        management.<SliceOffsets>getOffset(id),
                        (paused, offset) -> measured(instance, id, paused, offset.orElse(SliceOffsets.EMPTY)))
                .thenCompose(status -> status);
    }

    private CompletionStage<InstanceStatus> measured(
            Projections.Instance instance, ProjectionId id, boolean paused, SliceOffsets reached) {
        return AskPattern.<EventFeed.Command, EventFeed.Behind>ask(
                        feed,
                        replyTo -> new EventFeed.Measure(reached, instance.minSlice(), instance.maxSlice(), replyTo),
                        PATIENCE,
                        system.scheduler())
                .thenApply(behind ->
                        new InstanceStatus(id.key(), paused, newest(reached), behind.events(), behind.oldest()));
    }

    private static Optional<Instant> newest(SliceOffsets reached) {
        return reached.asMap().values().stream().map(TimestampOffset::timestamp).max(Instant::compareTo);
    }

    private static <T> CompletionStage<List<T>> inOrder(List<? extends CompletionStage<T>> stages) {
        CompletionStage<List<T>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (CompletionStage<T> stage : stages) {
            all = all.thenCombine(stage, (list, element) -> {
                list.add(element);
                return list;
            });
        }
        return all;
    }
}
