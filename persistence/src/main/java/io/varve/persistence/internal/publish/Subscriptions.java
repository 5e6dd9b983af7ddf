package io.varve.persistence.internal.publish;

import io.varve.store.SliceRange;
import io.varve.store.Slices;
import org.apache.pekko.actor.ActorRef;

/** How queries hear of events that have just been stored. */
public interface Subscriptions {
    /** Where nothing is published. */
    Subscriptions NONE = new Subscriptions() {
        @Override
        public void toSlices(SliceRange slices, ActorRef subscriber) {}

        @Override
        public void toEntity(String persistenceId, ActorRef subscriber) {}

        @Override
        public boolean arePublishedHere(String entityType) {
            return false;
        }

        @Override
        public SliceRange heardWith(String persistenceId) {
            return SliceRange.all(Slices.entityType(persistenceId));
        }
    };

    /** Makes the events of slices come to the subscriber, until it stops, and perhaps those of others. */
    void toSlices(SliceRange slices, ActorRef subscriber);

    /** Makes the events of an entity come to the subscriber, until it stops. */
    void toEntity(String persistenceId, ActorRef subscriber);

    /** Whether events of an entity type that this actor system stores are published. */
    boolean arePublishedHere(String entityType);

    /** The slices whose messages are numbered together with those of an entity. */
    SliceRange heardWith(String persistenceId);
}
