package io.varve.persistence.internal.publish;

import io.varve.store.SliceRange;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Adapter;

/** Subscribes queries to the topics of their slices and entities. */
public final class TopicSubscriptions implements Subscriptions {
    private final EventTopics topics;
    private final JournalTopics journal;

    public TopicSubscriptions(ActorSystem system, JournalTopics journal) {
        this.topics = EventTopics.get(system);
        this.journal = journal;
    }

    @Override
    public void toSlices(SliceRange slices, ActorRef subscriber) {
        topics.subscribe(
                journal.covering(slices.entityType(), slices.min(), slices.max()), Adapter.toTyped(subscriber));
    }

    @Override
    public void toEntity(String persistenceId, ActorRef subscriber) {
        topics.subscribe(journal.topicOf(persistenceId), persistenceId, Adapter.toTyped(subscriber));
    }

    @Override
    public boolean arePublishedHere(String entityType) {
        return topics.isPublishedHere(journal, entityType);
    }

    @Override
    public SliceRange heardWith(String persistenceId) {
        return journal.slicesWith(persistenceId);
    }
}
