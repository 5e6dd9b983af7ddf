package io.varve.projection;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.apache.pekko.actor.AbstractExtensionId;
import org.apache.pekko.actor.ClassicActorSystemProvider;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.actor.Extension;
import org.apache.pekko.projection.ProjectionId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who is told of the progress of an actor system's projections: what this is told, all of them are. What one throws is logged, and
 * hinders nobody.
 */
public final class ProgressObservers implements ProgressObserver, Extension {
    private static final Logger LOG = LoggerFactory.getLogger(ProgressObservers.class);
    private static final Id ID = new Id();

    private final List<ProgressObserver> observers = new CopyOnWriteArrayList<>();

    private ProgressObservers() {}

    /** Those of this actor system. */
    public static ProgressObservers get(ClassicActorSystemProvider system) {
        return ID.get(system.classicSystem());
    }

    /** Tells this observer from now on. */
    public void add(ProgressObserver observer) {
        observers.add(observer);
    }

    @Override
    public void stored(ProjectionId projection, int slice, Instant seen, Instant stored) {
        tell(observer -> observer.stored(projection, slice, seen, stored));
    }

    @Override
    public void processed(ProjectionId projection, int envelopes) {
        tell(observer -> observer.processed(projection, envelopes));
    }

    @Override
    public void handlerFailed(ProjectionId projection, Throwable cause) {
        tell(observer -> observer.handlerFailed(projection, cause));
    }

    @Override
    public void outage(ProjectionId projection, Throwable cause, Duration lasting) {
        tell(observer -> observer.outage(projection, cause, lasting));
    }

    @Override
    public void failed(ProjectionId projection, Throwable cause) {
        tell(observer -> observer.failed(projection, cause));
    }

    @Override
    public void stopped(ProjectionId projection) {
        tell(observer -> observer.stopped(projection));
    }

    @Override
    public void parked(ProjectionId projection, String persistenceId, long sequenceNumber, Throwable cause) {
        tell(observer -> observer.parked(projection, persistenceId, sequenceNumber, cause));
    }

    @Override
    public void parkedEntities(ProjectionId projection, int entities) {
        tell(observer -> observer.parkedEntities(projection, entities));
    }

    private void tell(Consumer<ProgressObserver> message) {
        for (ProgressObserver observer : observers) {
            try {
                message.accept(observer);
            } catch (RuntimeException | LinkageError | AssertionError e) {
                LOG.warn("The progress observer {} failed.", observer.getClass().getName(), e);
            }
        }
    }

    private static final class Id extends AbstractExtensionId<ProgressObservers> {
        @Override
        public ProgressObservers createExtension(ExtendedActorSystem system) {
            return new ProgressObservers();
        }
    }
}
