package io.varve.projection.internal.event;

import io.varve.store.internal.layout.EventId;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** What the journal knows about the times of single events. */
public interface EntityTimes {

    /** When events were stored, of those that are there and have a time. */
    CompletionStage<Map<EventId, Instant>> timestampsOf(Collection<EventId> events);

    /** Whether many numbers that are not there cost little. */
    default boolean skipsHoles() {
        return false;
    }
}
