package io.varve.projection;

import java.time.Instant;

/**
 * An entity that a projection has set aside, because the handler failed for good for one of its events.
 *
 * @param projection the projection's name
 * @param sequenceNumber the event that it failed for; it and all later ones wait
 * @param eventTime when that event was stored
 * @param parkedAt when the handler failed
 * @param reason the failure
 */
public record ParkedEntity(
        String projection,
        String persistenceId,
        long sequenceNumber,
        Instant eventTime,
        Instant parkedAt,
        String reason,
        State state) {

    /** What becomes of it. */
    public enum State {
        /** It waits for somebody to decide. */
        PARKED,
        /** Its events are being processed, or will be when its instance runs. */
        RETRYING,
        /** Its events up to now will be left out when its instance runs. */
        GIVING_UP
    }
}
