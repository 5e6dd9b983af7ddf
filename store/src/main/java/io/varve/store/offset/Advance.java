package io.varve.store.offset;

import java.util.Optional;

/**
 * A step of an entity, from before its event {@code first} to its event {@code last}.
 *
 * @param replaced what the row must hold where sequence numbers have begun anew
 */
public record Advance(LastProcessed last, LastProcessed first, Optional<LastProcessed> replaced) {

    /** An ordinary step. */
    public static Advance of(LastProcessed last, LastProcessed first) {
        return new Advance(last, first, Optional.empty());
    }
}
