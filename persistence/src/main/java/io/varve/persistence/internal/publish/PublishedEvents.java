package io.varve.persistence.internal.publish;

import io.varve.store.internal.layout.Event;
import java.util.List;
import java.util.Optional;

/**
 * The events of one atomic write, in order and still serialized.
 *
 * @param number absent where the version before this one has sent it
 */
public record PublishedEvents(List<Event> events, Optional<PublishedNumber> number) implements TopicMessage {

    /** Events without a number. */
    public PublishedEvents(List<Event> events) {
        this(events, Optional.empty());
    }

    /** Checks that there are events and that they are of one entity. */
    public PublishedEvents {
        events = List.copyOf(events);
        if (events.isEmpty()) {
            throw new IllegalArgumentException("No events to publish.");
        }
        String persistenceId = events.get(0).persistenceId();
        for (Event event : events) {
            if (!event.persistenceId().equals(persistenceId)) {
                throw new IllegalArgumentException("Events of '" + persistenceId + "' and of '" + event.persistenceId()
                        + "' cannot be published together.");
            }
        }
    }

    /** The same with a number. */
    PublishedEvents numbered(PublishedNumber given) {
        return new PublishedEvents(events, Optional.of(given));
    }

    /** The entity that they are of. */
    public String persistenceId() {
        return events.get(0).persistenceId();
    }
}
