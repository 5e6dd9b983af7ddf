package io.varve.store.internal.slice;

import java.util.Map;

/**
 * Where a query begins in a slice.
 *
 * @param timestamp up to which events were handled, in microseconds; 0 for the very beginning
 * @param seen the sequence numbers that were handled at exactly that timestamp, by persistence id
 */
public record SliceStart(long timestamp, Map<String, Long> seen) {
    /** The very beginning. */
    public static final SliceStart BEGINNING = new SliceStart(0, Map.of());
}
