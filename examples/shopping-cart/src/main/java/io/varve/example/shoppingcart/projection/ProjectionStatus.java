package io.varve.example.shoppingcart.projection;

import io.varve.example.shoppingcart.ShoppingCart;
import io.varve.persistence.query.SliceOffsets;
import io.varve.projection.ProjectionLag;
import io.varve.projection.javadsl.StoredProjection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.query.TimestampOffset;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.javadsl.ProjectionManagement;

/**
 * How far the projections are, on whatever nodes they run: the places that they have stored, and what waits after them. The answer is kept for a moment, because many may ask and each time the offset table is read.
 */
public final class ProjectionStatus {
    private final ActorSystem<?> system;
    private final Projections projections;
    private final Map<String, StoredProjection> stored;
    private final Duration keptFor;
    private CompletionStage<List<Status>> latest =
            CompletableFuture.failedFuture(new IllegalStateException("Not read yet"));
    private Instant latestUntil = Instant.EPOCH;

    /** The status of these projections. */
    public ProjectionStatus(ActorSystem<?> system, Projections projections) {
        this.system = system;
        this.projections = projections;
        this.stored = Projections.NAMES.stream()
                .collect(Collectors.toMap(
                        name -> name, name -> StoredProjection.of(system, name, ShoppingCart.TYPE.name())));
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
     * @param atLeast whether there are more than that
     * @param lagSeconds for how long the first of them has been waiting
     */
    public record InstanceStatus(
            String key, boolean paused, Optional<Instant> newest, long behind, boolean atLeast, double lagSeconds) {}

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
        List<Projections.Instance> instances = projections.instances();
        return Objects.requireNonNull(stored.get(name), name)
                .lag(instances.size())
                .thenCompose(lags -> oneAfterAnother(
                        lags, lag -> read(instances.get(lags.indexOf(lag)).of(name), lag)))
                .thenApply(read -> new Status(name, read));
    }

    private CompletionStage<InstanceStatus> read(ProjectionId id, ProjectionLag lag) {
        ProjectionManagement management = ProjectionManagement.get(system);
        return management
                .isPaused(id)
                .thenCompose(paused -> management
                        .<SliceOffsets>getOffset(id)
                        .thenApply(offset -> new InstanceStatus(
                                id.key(),
                                paused,
                                newest(offset.orElse(SliceOffsets.EMPTY)),
                                lag.events(),
                                lag.atLeast(),
                                lag.age().toMillis() / 1000.0)));
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
