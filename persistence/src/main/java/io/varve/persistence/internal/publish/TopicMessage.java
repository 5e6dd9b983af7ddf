package io.varve.persistence.internal.publish;

import java.util.Set;
import org.apache.pekko.actor.DeadLetterSuppression;
import org.apache.pekko.actor.typed.ActorRef;

/** What the actor of a topic is told. Bare events come from another node; whoever is not there to hear them has missed nothing. */
sealed interface TopicMessage extends DeadLetterSuppression permits PublishedEvents, TopicMessage.OfThisNode {

    /** What is never sent to another node. */
    sealed interface OfThisNode extends TopicMessage {}

    record Publish(PublishedEvents events) implements OfThisNode {}

    /** Something was stored that is not published. */
    enum Unpublished implements OfThisNode {
        INSTANCE
    }

    record Subscribe(ActorRef<PublishedEvents> subscriber) implements OfThisNode {}

    record SubscribeToEntity(String persistenceId, ActorRef<PublishedEvents> subscriber) implements OfThisNode {}

    record Unsubscribe(ActorRef<PublishedEvents> subscriber) implements OfThisNode {}

    /** The actors of this topic, on all nodes, that have subscribers. */
    record Listeners(Set<ActorRef<PublishedEvents>> actors) implements OfThisNode {}
}
