package io.varve.projection.internal.pekko;

import io.varve.projection.ProgressObservers;
import io.varve.projection.internal.settings.ProjectionOptions;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.StatusObserver;
import org.apache.pekko.projection.internal.Telemetry;
import org.apache.pekko.projection.internal.TelemetryProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The user's observers and telemetry of a projection, which cannot break it: what they throw is logged. */
public final class SafeObservers<E> extends StatusObserver<E> implements Telemetry {
    private static final Logger LOG = LoggerFactory.getLogger(SafeObservers.class);

    private final ProjectionId id;
    private final StatusObserver<E> observer;
    private final Telemetry telemetry;
    private final ProgressObservers observers;

    private SafeObservers(
            ProjectionId id, StatusObserver<E> observer, Telemetry telemetry, ProgressObservers observers) {
        this.id = id;
        this.observer = observer;
        this.telemetry = telemetry;
        this.observers = observers;
    }

    /** Those of a projection that starts. */
    public static <E> SafeObservers<E> start(ProjectionOptions<E> options, ActorSystem<?> system) {
        return new SafeObservers<>(
                options.id(),
                options.observer(),
                TelemetryProvider.start(options.id(), system),
                ProgressObservers.get(system));
    }

    private void safely(Object callee, Runnable call) {
        try {
            call.run();
        } catch (RuntimeException | LinkageError | AssertionError e) {
            LOG.warn("{}: the observer {} failed.", id.id(), callee.getClass().getName(), e);
        }
    }

    @Override
    public void started(ProjectionId projection) {
        safely(observer, () -> observer.started(projection));
    }

    @Override
    public void failed(ProjectionId projection, Throwable cause) {
        safely(observer, () -> observer.failed(projection, cause));
    }

    @Override
    public void stopped(ProjectionId projection) {
        safely(observer, () -> observer.stopped(projection));
    }

    @Override
    public void beforeProcess(ProjectionId projection, E envelope) {
        safely(observer, () -> observer.beforeProcess(projection, envelope));
    }

    @Override
    public void afterProcess(ProjectionId projection, E envelope) {
        safely(observer, () -> observer.afterProcess(projection, envelope));
    }

    @Override
    public void offsetProgress(ProjectionId projection, E envelope) {
        safely(observer, () -> observer.offsetProgress(projection, envelope));
    }

    @Override
    public void error(ProjectionId projection, E envelope, Throwable cause, HandlerRecoveryStrategy strategy) {
        safely(observer, () -> observer.error(projection, envelope, cause, strategy));
    }

    @Override
    public void stopped() {
        safely(telemetry, telemetry::stopped);
        observers.stopped(id);
    }

    @Override
    public void failed(Throwable cause) {
        safely(telemetry, () -> telemetry.failed(cause));
        observers.failed(id, cause);
    }

    @Override
    public <Envelope> Object beforeProcess(Envelope envelope, long creationTime) {
        try {
            return telemetry.beforeProcess(envelope, creationTime);
        } catch (RuntimeException | LinkageError | AssertionError e) {
            LOG.warn(
                    "{}: the observer {} failed.", id.id(), telemetry.getClass().getName(), e);
            return NotUsed.getInstance();
        }
    }

    @Override
    public void afterProcess(Object externalContext) {
        safely(telemetry, () -> telemetry.afterProcess(externalContext));
    }

    @Override
    public void onOffsetStored(int numberOfEnvelopes) {
        safely(telemetry, () -> telemetry.onOffsetStored(numberOfEnvelopes));
        observers.processed(id, numberOfEnvelopes);
    }

    @Override
    public void error(Throwable cause) {
        safely(telemetry, () -> telemetry.error(cause));
        observers.handlerFailed(id, cause);
    }
}
