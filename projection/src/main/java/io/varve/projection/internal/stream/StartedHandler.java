package io.varve.projection.internal.stream;

import io.varve.projection.internal.delivery.DeliveryMode;
import io.varve.projection.internal.pekko.Abort;
import io.varve.projection.internal.retry.StopSignal;
import io.varve.store.internal.async.Causes;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The user's handler in a stream: it is not started after a stop, and stopped if it was started. */
final class StartedHandler {
    private static final Logger LOG = LoggerFactory.getLogger(StartedHandler.class);

    private final String projection;
    private final DeliveryMode<?> mode;
    private final StopSignal stop;
    private volatile @Nullable CompletableFuture<Done> starting;

    StartedHandler(String projection, DeliveryMode<?> mode, StopSignal stop) {
        this.projection = projection;
        this.mode = mode;
        this.stop = stop;
    }

    CompletionStage<Done> start() {
        CompletableFuture<Done> started = new CompletableFuture<>();
        if (!stop.unlessStopped(() -> starting = started)) {
            return CompletableFuture.failedFuture(Abort.exception());
        }
        mode.start().whenComplete((done, thrown) -> {
            if (thrown == null) {
                started.complete(done);
            } else {
                started.completeExceptionally(thrown);
            }
        });
        return started;
    }

    /** Stops the handler after its start is over, whatever became of that. */
    CompletionStage<Done> stop() {
        CompletableFuture<Done> started = starting;
        if (started == null) {
            return CompletableFuture.completedFuture(Done.getInstance());
        }
        return started.handle((done, thrown) -> null)
                .thenCompose(over -> mode.stop())
                .exceptionally(thrown -> {
                    LOG.warn("{}: the handler failed to stop.", projection, Causes.unwrap(thrown));
                    return Done.getInstance();
                });
    }
}
