package io.varve.persistence.query;

import io.varve.store.slice.SliceRange;
import java.util.function.BiConsumer;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Adapter;

/** Subscribes queries to the topics of their slices. */
final class TopicSubscription implements BiConsumer<SliceRange, ActorRef> {
    private final EventTopics topics;
    private final JournalTopics journal;

    TopicSubscription(ActorSystem system, JournalTopics journal) {
        this.topics = EventTopics.get(system);
        this.journal = journal;
    }

    @Override
    public void accept(SliceRange range, ActorRef subscriber) {
        topics.subscribe(journal.covering(range.entityType(), range.min(), range.max()), Adapter.toTyped(subscriber));
    }
}
