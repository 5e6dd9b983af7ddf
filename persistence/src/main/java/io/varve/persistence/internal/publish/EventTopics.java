package io.varve.persistence.internal.publish;

import io.varve.store.internal.layout.Event;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.pekko.actor.AbstractExtensionId;
import org.apache.pekko.actor.ClassicActorSystemProvider;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.actor.Extension;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topics through which stored events reach the running queries of the cluster, or of the one node where there is none.
 *
 * <p>A topic is an actor that is started when it is first needed and lives as long as the actor system. Since entity types
 * come from persistence ids, of which an application may make any number, only the first {@value #MOST_ENTITY_TYPES} get
 * topics. Others are left to polling.
 */
public final class EventTopics implements Extension {
    static final int MOST_ENTITY_TYPES = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(EventTopics.class);
    private static final Id ID = new Id();
    private static final String FRAME_SIZE = "pekko.remote.artery.advanced.maximum-frame-size";
    /** More than what a message has around its events. */
    private static final int ENVELOPE = 4_096;

    private record EntityType(JournalTopics journal, String name) {}

    private final ActorSystem<Void> system;
    private final long largestMessage;
    private final Map<EventTopic, ActorRef<TopicMessage>> topics = new ConcurrentHashMap<>();
    private final Set<EntityType> entityTypes = ConcurrentHashMap.newKeySet();
    private final Set<JournalTopics> publishedHere = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean reported = new AtomicBoolean();

    private EventTopics(ExtendedActorSystem system) {
        this.system = Adapter.toTyped(system);
        this.largestMessage = system.provider().getDefaultAddress().hasGlobalScope()
                ? system.settings().config().getBytes(FRAME_SIZE) - ENVELOPE
                : Long.MAX_VALUE;
    }

    /** The topics of this actor system. */
    public static EventTopics get(ClassicActorSystemProvider system) {
        return ID.get(system.classicSystem());
    }

    /** Starts a topic ahead of its first event, so that it knows its subscribers by then. */
    public void open(EventTopic topic) {
        actor(topic);
    }

    /** Tells the subscribers of a topic of stored events of one entity; not if they are more than a message can hold. */
    public void publish(EventTopic topic, List<Event> events) {
        PublishedEvents published = new PublishedEvents(events);
        if (PublishedEventsFormat.sizeAtMost(published) > largestMessage) {
            LOG.debug("{} events of '{}' are too large to publish.", events.size(), published.persistenceId());
            unpublished(topic);
            return;
        }
        actor(topic).ifPresent(actor -> actor.tell(new TopicMessage.Publish(published)));
    }

    /** Events of a topic were stored that are not published. */
    public void unpublished(EventTopic topic) {
        actor(topic).ifPresent(actor -> actor.tell(TopicMessage.Unpublished.INSTANCE));
    }

    /** A journal of this actor system publishes what it stores. */
    void published(JournalTopics journal) {
        publishedHere.add(journal);
    }

    /** Whether a journal of this actor system publishes what it stores, events of this type among it. */
    public boolean isPublishedHere(JournalTopics journal, String entityType) {
        return publishedHere.contains(journal) && entityTypes.contains(new EntityType(journal, entityType));
    }

    /** Makes this actor, which must be one of this node, hear of what is published from now on, until it stops. */
    public void subscribe(Collection<EventTopic> to, ActorRef<PublishedEvents> subscriber) {
        to.forEach(topic -> actor(topic).ifPresent(actor -> actor.tell(new TopicMessage.Subscribe(subscriber))));
    }

    /** Makes this actor, which must be one of this node, hear of what is published of an entity from now on, until it stops. */
    public void subscribe(EventTopic to, String persistenceId, ActorRef<PublishedEvents> subscriber) {
        actor(to).ifPresent(actor -> actor.tell(new TopicMessage.SubscribeToEntity(persistenceId, subscriber)));
    }

    /** Makes this actor hear no more. */
    public void unsubscribe(Collection<EventTopic> from, ActorRef<PublishedEvents> subscriber) {
        from.forEach(topic -> Optional.ofNullable(topics.get(topic))
                .ifPresent(actor -> actor.tell(new TopicMessage.Unsubscribe(subscriber))));
    }

    private Optional<ActorRef<TopicMessage>> actor(EventTopic topic) {
        ActorRef<TopicMessage> actor = topics.get(topic);
        if (actor == null && mayHaveTopics(new EntityType(topic.journal(), topic.entityType()))) {
            actor = topics.computeIfAbsent(topic, this::start);
        }
        return Optional.ofNullable(actor);
    }

    private boolean mayHaveTopics(EntityType type) {
        if (entityTypes.contains(type)) {
            return true;
        }
        if (entityTypes.size() < MOST_ENTITY_TYPES) {
            entityTypes.add(type);
            return true;
        }
        if (reported.compareAndSet(false, true)) {
            LOG.warn(
                    "There are more than {} entity types. Events of further ones, the first of which is '{}', are not"
                            + " published: queries find them by polling. The entity type is what stands before the first '|'"
                            + " of a persistence id.",
                    MOST_ENTITY_TYPES,
                    type.name());
        }
        return false;
    }

    private ActorRef<TopicMessage> start(EventTopic topic) {
        String name = topic.name();
        return system.systemActorOf(TopicActor.create(name), name, Props.empty());
    }

    private static final class Id extends AbstractExtensionId<EventTopics> {
        @Override
        public EventTopics createExtension(ExtendedActorSystem system) {
            return new EventTopics(system);
        }
    }
}
