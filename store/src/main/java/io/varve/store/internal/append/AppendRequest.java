package io.varve.store.internal.append;

import io.varve.store.internal.layout.Payload;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** An atomic write: one or more events of one entity, with sequence numbers that follow each other. */
public record AppendRequest(String persistenceId, List<NewEvent> events) {

    /** An event that is not stored yet; {@code manifest} is the event adapter's, possibly empty. */
    public record NewEvent(
            long sequenceNumber,
            Payload payload,
            String writer,
            String manifest,
            Optional<Payload> metadata,
            Set<String> tags) {}

    /** Checks that there are events and that their numbers follow each other. */
    public AppendRequest {
        events = List.copyOf(events);
        if (events.isEmpty()) {
            throw new IllegalArgumentException("An atomic write of '" + persistenceId + "' has no events.");
        }
        for (int i = 1; i < events.size(); i++) {
            if (events.get(i).sequenceNumber() != events.get(0).sequenceNumber() + i) {
                throw new IllegalArgumentException("The sequence numbers of an atomic write of '" + persistenceId
                        + "' do not follow each other at " + events.get(i).sequenceNumber() + ".");
            }
        }
    }

    /** Whose write this is. */
    public String writer() {
        return events.get(0).writer();
    }

    /** Whether any of the events has tags. */
    public boolean hasTags() {
        return events.stream().anyMatch(event -> !event.tags().isEmpty());
    }

    /** The number of its first event. */
    public long firstSequenceNumber() {
        return events.get(0).sequenceNumber();
    }
}
