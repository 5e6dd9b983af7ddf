package io.varve.store.internal.offset;

/**
 * A step of an entity, from before its event {@code first} to its event {@code last}.
 *
 * @param cause the timestamp of the event that the source has brought: {@code first}, or one before which it was missing
 * @param passesOver whether events before {@code first} count as processed because somebody has set the offset behind them: then
 *     nobody may have set it again
 */
public record Advance(LastProcessed last, LastProcessed first, long cause, boolean passesOver) {

    /** A step that passes over nothing. */
    public Advance(LastProcessed last, LastProcessed first, long cause) {
        this(last, first, cause, false);
    }

    /** A step of one event that the source has brought. */
    public static Advance of(LastProcessed event) {
        return new Advance(event, event, event.timestamp());
    }
}
