package io.varve.projection.internal.stream;

import io.varve.persistence.internal.plugin.Futures;
import io.varve.persistence.query.SliceOffsets;
import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.projection.internal.progress.OffsetManagement;
import io.varve.store.internal.async.Causes;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.RunningProjection;
import org.apache.pekko.projection.RunningProjectionManagement;
import org.apache.pekko.projection.internal.ManagementState;
import org.apache.pekko.projection.internal.ProjectionSettings;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.RestartSettings;
import org.apache.pekko.stream.SharedKillSwitch;
import org.apache.pekko.stream.javadsl.Sink;
import org.jspecify.annotations.Nullable;
import scala.Option;
import scala.concurrent.Future;

/** A projection while it runs, through all its incarnations. */
public final class RestartingProjection<E> implements RunningProjection, RunningProjectionManagement<Offset> {
    private final Supplier<ProjectionStream<E>> incarnations;
    private final OffsetManagement management;
    private final SharedKillSwitch restarting;
    private final CompletionStage<Done> done;
    private CompletionStage<Done> ending = CompletableFuture.completedFuture(Done.getInstance());
    private @Nullable ProjectionStream<E> current;
    private boolean running;
    private boolean stopped;

    public RestartingProjection(
            ProjectionId id,
            DeliveryModes.Run<E> run,
            Supplier<ProjectionStream<E>> incarnations,
            RestartSettings restart,
            OffsetManagement management,
            ActorSystem<?> system) {
        this.incarnations = incarnations;
        this.management = management;
        this.restarting = KillSwitches.shared(id.id());
        ProjectionSettings pekko = ProjectionSettings.apply(system);
        ProjectionSettings restarts = new ProjectionSettings(
                restart,
                pekko.saveOffsetAfterEnvelopes(),
                pekko.saveOffsetAfterDuration(),
                pekko.groupAfterEnvelopes(),
                pekko.groupAfterDuration(),
                pekko.recoveryStrategy());
        this.done = RunningProjection.withBackoff(this::next, restarts)
                .asJava()
                .via(restarting.<Done>flow())
                .runWith(Sink.ignore(), system)
                .handle((end, thrown) -> over().thenCompose(over -> thrown == null
                        ? CompletableFuture.completedFuture(end)
                        : CompletableFuture.<Done>failedFuture(Causes.unwrap(thrown))))
                .thenCompose(end -> end)
                .whenComplete((end, thrown) -> run.close());
    }

    private synchronized org.apache.pekko.stream.scaladsl.Source<Done, ?> next() {
        if (stopped) {
            return org.apache.pekko.stream.scaladsl.Source.empty();
        }
        try {
            ProjectionStream<E> next = incarnations.get();
            current = next;
            running = false;
            return next.source(over()).mapMaterializedValue(this::ending).asScala();
        } catch (RuntimeException | LinkageError e) {
            return org.apache.pekko.stream.scaladsl.Source.failed(e);
        }
    }

    private synchronized CompletionStage<Done> ending(CompletionStage<Done> end) {
        ending = end;
        running = true;
        return end;
    }

    /** The incarnation that runs, or has run: it knows what is stored, so that nothing has to be read. */
    private synchronized Optional<ProjectionStream<E>> current() {
        return Optional.ofNullable(current);
    }

    /** When the last incarnation is over. */
    private synchronized CompletionStage<Done> over() {
        return ending.exceptionally(failed -> Done.getInstance());
    }

    /** Also ends the pause before a restart. */
    @Override
    public Future<Done> stop() {
        synchronized (this) {
            stopped = true;
            if (current != null) {
                current.stop();
            }
            if (running) {
                over().thenRun(restarting::shutdown);
            }
        }
        return Futures.toScala(done);
    }

    @Override
    public Future<Option<Offset>> getOffset() {
        return guarded(() -> current()
                .flatMap(ProjectionStream::stored)
                .<CompletionStage<SliceOffsets>>map(CompletableFuture::completedFuture)
                .orElseGet(management::offset)
                .thenApply(offset -> offset.equals(SliceOffsets.EMPTY) ? Option.empty() : Option.apply(offset)));
    }

    @Override
    public Future<Done> setOffset(Option<Offset> offset) {
        return guarded(() -> offset.isEmpty() ? management.clearOffset() : management.setOffset(offset.get()));
    }

    @Override
    public Future<Option<ManagementState>> getManagementState() {
        return guarded(() -> current()
                .flatMap(ProjectionStream::paused)
                .<CompletionStage<Boolean>>map(CompletableFuture::completedFuture)
                .orElseGet(management::isPaused)
                .thenApply(paused -> Option.apply(new ManagementState(paused))));
    }

    @Override
    public Future<Done> setPaused(boolean paused) {
        return guarded(() -> management.setPaused(paused));
    }

    /** What is thrown must not reach the actor that manages the projection. */
    private static <T> Future<T> guarded(Supplier<CompletionStage<T>> action) {
        try {
            return Futures.toScala(action.get());
        } catch (RuntimeException e) {
            return Futures.toScala(CompletableFuture.failedFuture(e));
        }
    }
}
