package io.varve.projection;

/** What happens when the handler fails for good for an event: after the retries of the recovery strategy, if that does not skip it. */
public enum OnFailure {
    /** The projection fails, and starts again from what is stored. */
    FAIL,
    /** The entity is set aside with its event; its later events wait, and all other entities go on. */
    PARK
}
