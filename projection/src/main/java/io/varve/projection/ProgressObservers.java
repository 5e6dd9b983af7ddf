package io.varve.projection;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.apache.pekko.actor.AbstractExtensionId;
import org.apache.pekko.actor.ClassicActorSystemProvider;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.actor.Extension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who is told of the progress of an actor system's projections. */
public final class ProgressObservers implements Extension {
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

    void tell(Consumer<ProgressObserver> message) {
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
