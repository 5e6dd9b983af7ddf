package io.varve.persistence.internal.publish;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.receptionist.Receptionist;
import org.apache.pekko.actor.typed.receptionist.ServiceKey;

/**
 * A topic on one node. It is listed by Pekko's receptionist while it has subscribers here, and passes what this node publishes
 * to its own subscribers and, once for each node, to the other actors that are listed. Who wants one entity gets nothing else.
 * What this node stores is numbered, so that subscribers notice when they miss something.
 *
 * <p>Pekko's own {@code Topic} works like this, too, but reports what nobody wants as a dead letter, which for a journal
 * without queries is every event, and forgets local subscribers as long as it knows only of remote ones.
 */
final class TopicActor extends AbstractBehavior<TopicMessage> {
    private final ServiceKey<PublishedEvents> key;
    private final Set<ActorRef<PublishedEvents>> subscribers = new HashSet<>();
    private final Map<String, Set<ActorRef<PublishedEvents>>> subscribersToEntity = new HashMap<>();
    private final Map<ActorRef<PublishedEvents>, String> entityOf = new HashMap<>();
    private final long publisher = ThreadLocalRandom.current().nextLong();
    private long stored;
    private Set<ActorRef<PublishedEvents>> listeners = Set.of();

    private TopicActor(ActorContext<TopicMessage> context, String name) {
        super(context);
        this.key = ServiceKey.create(PublishedEvents.class, name);
        tellReceptionist(Receptionist.subscribe(
                key,
                context.messageAdapter(
                        Receptionist.Listing.class,
                        listing -> new TopicMessage.Listeners(listing.getServiceInstances(key)))));
    }

    /** A topic of that name. After a failure it goes on as it was, so that its subscribers stay. */
    static Behavior<TopicMessage> create(String name) {
        return Behaviors.supervise(Behaviors.<TopicMessage>setup(context -> new TopicActor(context, name)))
                .onFailure(SupervisorStrategy.resume());
    }

    @Override
    public Receive<TopicMessage> createReceive() {
        return newReceiveBuilder()
                .onMessage(TopicMessage.Publish.class, publish -> published(publish.events()))
                .onMessage(TopicMessage.Unpublished.class, unpublished -> unpublished())
                .onMessage(PublishedEvents.class, this::arrived)
                .onMessage(TopicMessage.Subscribe.class, subscribe -> added(subscribe.subscriber()))
                .onMessage(
                        TopicMessage.SubscribeToEntity.class,
                        subscribe -> added(subscribe.persistenceId(), subscribe.subscriber()))
                .onMessage(TopicMessage.Unsubscribe.class, unsubscribe -> removed(unsubscribe.subscriber()))
                .onMessage(TopicMessage.Listeners.class, found -> listed(found.actors()))
                .build();
    }

    private Behavior<TopicMessage> published(PublishedEvents events) {
        PublishedEvents numbered = events.numbered(new PublishedNumber(publisher, ++stored));
        listeners.forEach(listener -> listener.tell(numbered));
        return arrived(numbered);
    }

    /** The next message shows that this one is missing. */
    private Behavior<TopicMessage> unpublished() {
        stored++;
        return this;
    }

    private Behavior<TopicMessage> arrived(PublishedEvents events) {
        subscribers.forEach(subscriber -> subscriber.tell(events));
        subscribersToEntity
                .getOrDefault(events.persistenceId(), Set.of())
                .forEach(subscriber -> subscriber.tell(events));
        return this;
    }

    private Behavior<TopicMessage> added(ActorRef<PublishedEvents> subscriber) {
        if (subscribers.add(subscriber)) {
            watched(subscriber);
        }
        return this;
    }

    private Behavior<TopicMessage> added(String persistenceId, ActorRef<PublishedEvents> subscriber) {
        if (entityOf.putIfAbsent(subscriber, persistenceId) == null) {
            subscribersToEntity
                    .computeIfAbsent(persistenceId, id -> new HashSet<>())
                    .add(subscriber);
            watched(subscriber);
        }
        return this;
    }

    private void watched(ActorRef<PublishedEvents> subscriber) {
        getContext().watchWith(subscriber, new TopicMessage.Unsubscribe(subscriber));
        if (subscribers.size() + entityOf.size() == 1) {
            tellReceptionist(Receptionist.register(key, self()));
        }
    }

    private Behavior<TopicMessage> removed(ActorRef<PublishedEvents> subscriber) {
        boolean removed = subscribers.remove(subscriber);
        String persistenceId = entityOf.remove(subscriber);
        if (persistenceId != null) {
            subscribersToEntity.computeIfPresent(persistenceId, (id, left) -> {
                left.remove(subscriber);
                return left.isEmpty() ? null : left;
            });
        }
        if (removed || persistenceId != null) {
            getContext().unwatch(subscriber);
            if (subscribers.isEmpty() && entityOf.isEmpty()) {
                tellReceptionist(Receptionist.deregister(key, self()));
            }
        }
        return this;
    }

    private Behavior<TopicMessage> listed(Set<ActorRef<PublishedEvents>> actors) {
        listeners = new HashSet<>(actors);
        listeners.remove(self());
        return this;
    }

    private ActorRef<PublishedEvents> self() {
        return getContext().getSelf().narrow();
    }

    private void tellReceptionist(Receptionist.Command command) {
        getContext().getSystem().receptionist().tell(command);
    }
}
