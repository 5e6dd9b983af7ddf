package io.varve.store.internal.offset;

import java.time.Instant;

/**
 * An entity that is in the list of those set aside.
 *
 * @param event the event for which the handler failed
 * @param at when that was
 * @param reason the failure
 */
public record ParkedRow(LastProcessed event, Instant at, String reason, Order order) {

    /** What somebody has ordered. */
    public enum Order {
        /** Nothing: it waits. */
        NONE,
        /** Its events are read from the journal and processed, until it has caught up. */
        RETRY,
        /** Its events up to now are to be left out. */
        GIVE_UP
    }

    public String persistenceId() {
        return event.persistenceId();
    }
}
