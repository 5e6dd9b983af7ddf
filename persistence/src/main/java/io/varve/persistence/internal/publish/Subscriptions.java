package io.varve.persistence.internal.publish;

import io.varve.store.SliceRange;
import org.apache.pekko.actor.ActorRef;

/** How queries hear of events that have just been stored. */
public interface Subscriptions {
    /** Where nothing is published. */
    Subscriptions NONE = new Subscriptions() {
        @Override
        public void toSlices(SliceRange slices, ActorRef subscriber) {}

        @Override
        public void toEntity(String persistenceId, ActorRef subscriber) {}
    };

    /** Makes the events of slices come to the subscriber, until it stops, and perhaps those of others. */
    void toSlices(SliceRange slices, ActorRef subscriber);

    /** Makes the events of an entity come to the subscriber, until it stops. */
    void toEntity(String persistenceId, ActorRef subscriber);
}
