package io.varve.persistence.internal.plugin;

import io.varve.store.StoreObserver;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All observers of an actor system as one; a broken one does not keep the others from hearing. */
final class Observers implements StoreObserver {
    private static final Logger LOG = LoggerFactory.getLogger(Observers.class);

    private final List<StoreObserver> observers = new CopyOnWriteArrayList<>();

    void add(StoreObserver observer) {
        observers.add(observer);
    }

    @Override
    public boolean enabled() {
        return !observers.isEmpty();
    }

    @Override
    public void requested(Request request) {
        tell(observer -> observer.requested(request));
    }

    @Override
    public void forgotten(Forgotten forgotten) {
        tell(observer -> observer.forgotten(forgotten));
    }

    private void tell(Consumer<StoreObserver> message) {
        for (StoreObserver observer : observers) {
            try {
                message.accept(observer);
            } catch (RuntimeException | LinkageError | AssertionError e) {
                LOG.warn("The store observer {} failed.", observer.getClass().getName(), e);
            }
        }
    }
}
