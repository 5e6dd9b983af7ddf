package io.varve.persistence.query;

import java.util.Optional;
import java.util.Set;
import org.apache.pekko.persistence.query.typed.EventEnvelope;

/**
 * What Pekko's envelope of an event has no place for, in its {@code eventMetadata}.
 *
 * @param metadata what was stored with the event as its metadata
 * @param tags the event's tags
 */
public record EventMetadata(Optional<Object> metadata, Set<String> tags) {

    /** Keeps the tags as they are now. */
    public EventMetadata {
        tags = Set.copyOf(tags);
    }

    /** Of an envelope, whoever made it. */
    public static EventMetadata of(EventEnvelope<?> envelope) {
        Optional<Object> held = envelope.getEventMetaData();
        return held.isPresent() && held.get() instanceof EventMetadata metadata
                ? metadata
                : new EventMetadata(held, Set.of());
    }
}
