package io.varve.projection.internal.pekko;

import io.varve.persistence.internal.plugin.Futures;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.Done;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.projection.RunningProjection;
import org.apache.pekko.projection.RunningProjectionManagement;
import org.apache.pekko.projection.internal.ManagementState;
import scala.Option;
import scala.concurrent.Future;
import scala.jdk.javaapi.OptionConverters;

/** A projection that runs, as Pekko sees it. */
public record ManagedProjection(Managed managed) implements RunningProjection, RunningProjectionManagement<Offset> {

    /** What Pekko can ask of it. */
    public interface Managed {
        CompletionStage<Done> stop();

        /** The offset that is stored, if there is one. */
        CompletionStage<Optional<Offset>> offset();

        CompletionStage<Done> setOffset(Offset offset);

        CompletionStage<Done> clearOffset();

        CompletionStage<Boolean> isPaused();

        CompletionStage<Done> setPaused(boolean paused);
    }

    @Override
    public Future<Done> stop() {
        return Futures.toScala(managed.stop());
    }

    @Override
    public Future<Option<Offset>> getOffset() {
        return guarded(() -> managed.offset().thenApply(OptionConverters::toScala));
    }

    @Override
    public Future<Done> setOffset(Option<Offset> offset) {
        return guarded(() -> offset.isEmpty() ? managed.clearOffset() : managed.setOffset(offset.get()));
    }

    @Override
    public Future<Option<ManagementState>> getManagementState() {
        return guarded(() -> managed.isPaused().thenApply(paused -> Option.apply(new ManagementState(paused))));
    }

    @Override
    public Future<Done> setPaused(boolean paused) {
        return guarded(() -> managed.setPaused(paused));
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
