package io.varve.persistence.internal.publish;

import io.varve.store.internal.append.AppendResult;
import io.varve.store.internal.journal.EventStoreSettings;
import io.varve.store.internal.layout.Event;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.pekko.actor.ActorSystem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publishes what a journal has stored to the running queries. What goes wrong here does not concern the writes. */
public final class EventPublisher {
    private static final Logger LOG = LoggerFactory.getLogger(EventPublisher.class);

    private final String path;
    private final int threshold;
    private final EventTopics topics;
    private final JournalTopics journal;
    private final PublishRate rate;
    private final AtomicBoolean stopReported = new AtomicBoolean();
    private final AtomicBoolean failureReported = new AtomicBoolean();

    private EventPublisher(
            String path, PublishSettings settings, JournalTopics journal, EventTopics topics, InstantSource clock) {
        this.path = path;
        this.threshold = settings.throughputThreshold();
        this.topics = topics;
        this.journal = journal;
        this.rate = new PublishRate(settings, clock);
    }

    /** The publisher of a journal; absent where it is switched off or no query can be running. */
    public static Optional<EventPublisher> of(
            EventStoreSettings store, PublishSettings settings, String path, ActorSystem system, InstantSource clock) {
        if (!settings.enabled() || !store.sliceIndex()) {
            return Optional.empty();
        }
        JournalTopics journal = JournalTopics.of(store, settings);
        EventTopics topics = EventTopics.get(system);
        topics.published(journal);
        return Optional.of(new EventPublisher(path, settings, journal, topics, clock));
    }

    /** Makes ready for the first event of an entity that recovers now. */
    public void recovering(String persistenceId) {
        guarded(() -> topics.open(journal.topicOf(persistenceId)));
    }

    /** Publishes those of the results that were stored, each atomic write as one message. */
    public void written(List<AppendResult> results) {
        for (AppendResult result : results) {
            if (result instanceof AppendResult.Stored stored) {
                boolean publish = mayPublish(stored.events().size());
                guarded(() -> publish(stored.events(), publish));
            }
        }
    }

    private void publish(List<Event> events, boolean mayPublish) {
        EventTopic topic = journal.topicOf(events.get(0).persistenceId());
        if (mayPublish) {
            topics.publish(topic, events);
        } else {
            topics.unpublished(topic);
        }
    }

    private boolean mayPublish(int events) {
        return switch (rate.written(events)) {
            case PUBLISH -> true;
            case PUBLISH_AGAIN -> {
                LOG.debug("{}: no more than {} events per second; they are published again.", path, threshold);
                yield true;
            }
            case STOP -> {
                stopped();
                yield false;
            }
            case STAY_STOPPED -> false;
        };
    }

    private void stopped() {
        if (stopReported.compareAndSet(false, true)) {
            LOG.info(
                    "{}: more than {} events per second (publish-events.throughput-threshold). They are not published"
                            + " until they become fewer, and queries find them by polling. This is reported once; later"
                            + " changes are logged at DEBUG.",
                    path,
                    threshold);
        } else {
            LOG.debug("{}: more than {} events per second; they are no longer published.", path, threshold);
        }
    }

    private void guarded(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | LinkageError e) {
            if (failureReported.compareAndSet(false, true)) {
                LOG.warn("{}: events cannot be published; queries find them by polling. Reported once.", path, e);
            } else {
                LOG.debug("{}: events cannot be published.", path, e);
            }
        }
    }
}
