package io.varve.projection.internal.stream;

import io.varve.projection.internal.event.ProjectionSource;
import io.varve.projection.internal.progress.StreamProgress;
import io.varve.projection.internal.reached.RunningInstance;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.pekko.Done;

/** A stream as those see it who wait for its progress. */
record StreamInstance(ProjectionSource<?> source, StreamProgress progress, ParkedWatch<?> parked, Executor executor)
        implements RunningInstance {

    @Override
    public boolean covers(int slice) {
        return source.minSlice() <= slice && slice <= source.maxSlice();
    }

    @Override
    public OptionalLong reached(String persistenceId) {
        return progress.reached(persistenceId);
    }

    @Override
    public CompletableFuture<Done> whenReached(String persistenceId, long sequenceNumber) {
        return progress.whenReached(persistenceId, sequenceNumber, executor);
    }

    @Override
    public void checkParked() {
        parked.check();
    }
}
