package io.varve.projection.internal.stream;

import io.varve.persistence.query.SliceOffsets;
import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.projection.internal.pekko.ManagedProjection;
import io.varve.projection.internal.pekko.PekkoSettings;
import io.varve.projection.internal.progress.OffsetManagement;
import io.varve.projection.internal.settings.ProjectionOptions;
import io.varve.store.internal.async.Causes;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.SharedKillSwitch;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.jspecify.annotations.Nullable;

/** A projection while it runs: one stream after another. */
final class RestartingProjection<E> implements ManagedProjection.Managed {
    private final DeliveryModes.Run<E> modes;
    private final Supplier<ProjectionStream<E>> streams;
    private final OffsetManagement management;
    private final SharedKillSwitch restarting;
    private final CompletionStage<Done> done;
    private CompletionStage<Done> ending = CompletableFuture.completedFuture(Done.getInstance());
    private @Nullable ProjectionStream<E> current;
    private boolean running;
    private boolean starts = true;

    RestartingProjection(
            ProjectionOptions<E> options,
            DeliveryModes.Run<E> modes,
            Supplier<ProjectionStream<E>> streams,
            OffsetManagement management,
            ActorSystem<?> system) {
        this.modes = modes;
        this.streams = streams;
        this.management = management;
        this.restarting = KillSwitches.shared(options.id().id());
        this.done = PekkoSettings.restarting(this::next, options.restart(), system)
                .via(restarting.<Done>flow())
                .runWith(Sink.ignore(), system)
                .handle((end, thrown) -> over().thenCompose(over -> thrown == null
                        ? CompletableFuture.completedFuture(end)
                        : CompletableFuture.<Done>failedFuture(Causes.unwrap(thrown))))
                .thenCompose(end -> end)
                .whenComplete((end, thrown) -> modes.close());
    }

    private synchronized Source<Done, ?> next() {
        if (!starts) {
            return Source.empty();
        }
        try {
            ProjectionStream<E> next = streams.get();
            current = next;
            running = false;
            return next.source(modes, over()).mapMaterializedValue(this::ending);
        } catch (RuntimeException | LinkageError e) {
            return Source.failed(e);
        }
    }

    private synchronized CompletionStage<Done> ending(CompletionStage<Done> end) {
        ending = end;
        running = true;
        return end;
    }

    /** The stream that runs, or has run: it knows what is stored, so that nothing has to be read. */
    private synchronized Optional<ProjectionStream<E>> current() {
        return Optional.ofNullable(current);
    }

    /** When the last stream is over. */
    private synchronized CompletionStage<Done> over() {
        return ending.exceptionally(failed -> Done.getInstance());
    }

    /** Also ends the pause before a restart. */
    @Override
    public CompletionStage<Done> stop() {
        synchronized (this) {
            starts = false;
            if (current != null) {
                current.stop();
            }
            if (running) {
                over().thenRun(restarting::shutdown);
            }
        }
        return done;
    }

    @Override
    public CompletionStage<Optional<Offset>> offset() {
        return current()
                .flatMap(ProjectionStream::stored)
                .<CompletionStage<SliceOffsets>>map(CompletableFuture::completedFuture)
                .orElseGet(management::offset)
                .thenApply(offset -> Optional.<Offset>of(offset).filter(stored -> !stored.equals(SliceOffsets.EMPTY)));
    }

    @Override
    public CompletionStage<Done> setOffset(Offset offset) {
        return management.setOffset(offset);
    }

    @Override
    public CompletionStage<Done> clearOffset() {
        return management.clearOffset();
    }

    @Override
    public CompletionStage<Boolean> isPaused() {
        return current()
                .flatMap(ProjectionStream::paused)
                .<CompletionStage<Boolean>>map(CompletableFuture::completedFuture)
                .orElseGet(management::isPaused);
    }

    @Override
    public CompletionStage<Done> setPaused(boolean paused) {
        return management.setPaused(paused);
    }
}
