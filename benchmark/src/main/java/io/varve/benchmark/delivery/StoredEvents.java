package io.varve.benchmark.delivery;

import java.util.function.Consumer;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.StatusObserver;

/** Tells of each event of a projection when it is processed and stored. */
final class StoredEvents extends StatusObserver<EventEnvelope<String>> {
    private final Consumer<String> told;

    StoredEvents(Consumer<String> told) {
        this.told = told;
    }

    @Override
    public void afterProcess(ProjectionId projection, EventEnvelope<String> envelope) {
        told.accept(envelope.event());
    }

    @Override
    public void started(ProjectionId projection) {}

    @Override
    public void failed(ProjectionId projection, Throwable cause) {}

    @Override
    public void stopped(ProjectionId projection) {}

    @Override
    public void beforeProcess(ProjectionId projection, EventEnvelope<String> envelope) {}

    @Override
    public void offsetProgress(ProjectionId projection, EventEnvelope<String> envelope) {}

    @Override
    public void error(
            ProjectionId projection,
            EventEnvelope<String> envelope,
            Throwable cause,
            HandlerRecoveryStrategy recoveryStrategy) {}
}
