package io.varve.projection;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.javadsl.HandlerLifecycle;

/**
 * Folds the events of an entity into the state of its item. It is called for several entities at once, and must have no effect but the
 * state that it returns: an event is applied again when its result could not be stored.
 */
public abstract class ViewHandler<State, Event> implements HandlerLifecycle {

    /** The state of an entity before its first event. */
    public abstract State emptyState();

    /** The state after an event. States are kept in memory, so this must not change the one that it is given. */
    public abstract State apply(State state, EventEnvelope<Event> envelope) throws Exception;

    /** Whether a state means that the item goes. The next event of the entity begins with the empty state. */
    public boolean isRemoved(State state) {
        return false;
    }

    /** Called before the first event, each time the projection starts. */
    @Override
    public CompletionStage<Done> start() {
        return CompletableFuture.completedFuture(Done.getInstance());
    }

    /** Called after the last event, each time the projection stops or fails. */
    @Override
    public CompletionStage<Done> stop() {
        return CompletableFuture.completedFuture(Done.getInstance());
    }
}
