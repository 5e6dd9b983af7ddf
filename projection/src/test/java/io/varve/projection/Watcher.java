package io.varve.projection;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.StatusObserver;

/** Notes what a status observer is told. */
final class Watcher extends StatusObserver<EventEnvelope<String>> {
    private final List<String> notes = new CopyOnWriteArrayList<>();
    private final List<String> errors = new CopyOnWriteArrayList<>();
    private final List<String> failures = new CopyOnWriteArrayList<>();

    /** All calls, in order. */
    List<String> notes() {
        return notes;
    }

    /** The messages of what was thrown by handlers. */
    List<String> errors() {
        return errors;
    }

    /** The messages of what the projection failed with. */
    List<String> failures() {
        return failures;
    }

    @Override
    public void started(ProjectionId projection) {
        notes.add("started");
    }

    @Override
    public void failed(ProjectionId projection, Throwable cause) {
        failures.add(String.valueOf(cause.getMessage()));
        notes.add("failed");
    }

    @Override
    public void stopped(ProjectionId projection) {
        notes.add("stopped");
    }

    @Override
    public void beforeProcess(ProjectionId projection, EventEnvelope<String> envelope) {
        notes.add("before " + envelope.getEvent());
    }

    @Override
    public void afterProcess(ProjectionId projection, EventEnvelope<String> envelope) {
        notes.add("after " + envelope.getEvent());
    }

    @Override
    public void offsetProgress(ProjectionId projection, EventEnvelope<String> envelope) {
        notes.add("offset " + envelope.getEvent());
    }

    @Override
    public void error(
            ProjectionId projection,
            EventEnvelope<String> envelope,
            Throwable cause,
            HandlerRecoveryStrategy recoveryStrategy) {
        errors.add(String.valueOf(cause.getMessage()));
        notes.add("error " + envelope.getEvent());
    }
}
