package io.varve.projection.internal.event;

import io.varve.store.internal.layout.EventId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** What the journal knows about the times of single events. */
public interface EntityTimes {

    /** When events were stored, of those that are there and have a time. */
    CompletionStage<Map<EventId, Instant>> timestampsOf(Collection<EventId> events);

    /** Whether it still replays the first event of an entity; one that is being deleted may have a time, but is not replayed. */
    default CompletionStage<Boolean> holdsFirstEvent(String persistenceId) {
        return timestampsOf(List.of(new EventId(persistenceId, 1))).thenApply(times -> !times.isEmpty());
    }

    /** Whether many numbers that are not there cost little. */
    default boolean skipsHoles() {
        return false;
    }
}
