package io.varve.store.internal.replay;

import io.varve.store.internal.layout.Event;
import java.util.Optional;

/**
 * What an atomic write has left that needed several transactions and was not finished.
 *
 * @param id the random name that all its events carry
 * @param first the number of its first event
 * @param last the number of the last event that is stored
 * @param end the number of the event that would have completed it
 */
public record UnfinishedChain(String persistenceId, String id, long first, long last, long end) {

    /** The chain of which this is the last event that is stored. */
    static UnfinishedChain of(Event last) {
        return new UnfinishedChain(
                last.persistenceId(),
                last.batch().flatMap(Event.Batch::id).orElseThrow(),
                last.batchStart(),
                last.sequenceNumber(),
                last.batchEnd());
    }

    /** Whether an entity's last event shows that its atomic write is not finished. */
    static boolean isPartOf(Event last) {
        return last.batch().flatMap(Event.Batch::id).isPresent() && last.sequenceNumber() < last.batchEnd();
    }

    /** Whether an event is part of it. */
    boolean has(Event event) {
        return event.batch().flatMap(Event.Batch::id).equals(Optional.of(id));
    }
}
