package io.varve.persistence.query;

import java.util.Optional;
import java.util.Set;
import org.apache.pekko.persistence.query.typed.EventEnvelope;

/**
 * What Pekko's envelope of an event has no place for, in its {@code eventMetadata}.
 *
 * @param metadata what was stored with the event as its metadata
 * @param tags the event's tags
 * @param part which one of the events this is, from 1 on, that an event adapter has made of the stored one
 * @param parts how many events it has made; 0 if it drops the event, and the envelope holds none
 */
public record EventMetadata(Optional<Object> metadata, Set<String> tags, int part, int parts) {

    /** That of most events: nothing but the event. */
    public static final EventMetadata NONE = new EventMetadata(Optional.empty(), Set.of());

    /** Keeps the tags as they are now. */
    public EventMetadata {
        if (parts < 0 || part > parts || (part < 1 && parts > 0)) {
            throw new IllegalArgumentException("There is no part " + part + " of " + parts + ".");
        }
        tags = Set.copyOf(tags);
    }

    /** Of an event that is as it was stored, or that an event adapter has made one other of. */
    public EventMetadata(Optional<Object> metadata, Set<String> tags) {
        this(metadata, tags, 1, 1);
    }

    /** Of an envelope, whoever made it. */
    public static EventMetadata of(EventEnvelope<?> envelope) {
        Optional<Object> held = envelope.getEventMetaData();
        return held.isPresent() && held.get() instanceof EventMetadata metadata
                ? metadata
                : new EventMetadata(held, Set.of());
    }
}
