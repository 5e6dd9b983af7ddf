package io.varve.store.internal.offset;

/**
 * A step of an entity, from before its event {@code first} to its event {@code last}.
 *
 * @param cause the timestamp of the event that the source has brought: {@code first}, or one before which it was missing
 */
public record Advance(LastProcessed last, LastProcessed first, long cause) {

    /** A step of one event that the source has brought. */
    public static Advance of(LastProcessed event) {
        return new Advance(event, event, event.timestamp());
    }
}
