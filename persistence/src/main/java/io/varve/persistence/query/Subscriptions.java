package io.varve.persistence.query;

import io.varve.store.slice.SliceRange;
import org.apache.pekko.actor.ActorRef;

/** How queries hear of events that have just been stored. */
interface Subscriptions {
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
