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
import java.util.function.Function;
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
     * @param lagSeconds for how long the first of them has been waiting
     */
    public record InstanceStatus(String key, boolean paused, Optional<Instant> newest, int behind, double lagSeconds) {}

    /** All projections, as they were at most a moment ago. */
    public synchronized CompletionStage<List<Status>> all() {
        if (latest.toCompletableFuture().isDone() && Instant.now().isAfter(latestUntil)) {
            latest = oneAfterAnother(Projections.NAMES, this::read);
            latest.whenComplete((done, failed) -> keepUntil(Instant.now().plus(keptFor)));
        }
        return latest;
    }

    /** Makes the next answer a new one. */
    public void forget() {
        keepUntil(Instant.EPOCH);
    }

    private synchronized void keepUntil(Instant time) {
        latestUntil = time;
    }

    private CompletionStage<Status> read(String name) {
        return oneAfterAnother(projections.instances(), instance -> read(instance, instance.of(name)))
                .thenApply(instances -> new Status(name, instances));
    }

    private CompletionStage<InstanceStatus> read(Projections.Instance instance, ProjectionId id) {
        ProjectionManagement management = ProjectionManagement.get(system);
        return management
                .isPaused(id)
                .thenCompose(paused -> management
                        .<SliceOffsets>getOffset(id)
                        .thenCompose(offset -> measured(instance, id, paused, offset.orElse(SliceOffsets.EMPTY))));
    }

    private CompletionStage<InstanceStatus> measured(
            Projections.Instance instance, ProjectionId id, boolean paused, SliceOffsets reached) {
        return AskPattern.<EventFeed.Command, EventFeed.Behind>ask(
                        feed,
                        replyTo -> new EventFeed.Measure(reached, instance.minSlice(), instance.maxSlice(), replyTo),
                        PATIENCE,
                        system.scheduler())
                .thenApply(
                        behind -> new InstanceStatus(id.key(), paused, newest(reached), behind.events(), lag(behind)));
    }

    private static double lag(EventFeed.Behind behind) {
        return behind.oldest()
                .map(oldest -> Duration.between(oldest, Instant.now()).toMillis() / 1000.0)
                .orElse(0.0);
    }

    private static Optional<Instant> newest(SliceOffsets reached) {
        return reached.asMap().values().stream().map(TimestampOffset::timestamp).max(Instant::compareTo);
    }

    /** Not all at once, which would be a burst of reads that others had to wait for. */
    private static <A, B> CompletionStage<List<B>> oneAfterAnother(List<A> of, Function<A, CompletionStage<B>> read) {
        CompletionStage<List<B>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (A each : of) {
            all = all.thenCompose(before -> read.apply(each).thenApply(one -> {
                before.add(one);
                return before;
            }));
        }
        return all;
    }
}
