package io.varve.store.internal.offset;

import java.util.Map;

/**
 * How far a slice has been processed.
 *
 * @param timestamp of the newest event, in microseconds
 * @param seen the sequence numbers at exactly that timestamp, by persistence id
 * @param setTo the timestamp that somebody set by hand, before which events count as processed; 0 if nobody did
 */
public record SliceOffset(long timestamp, Map<String, Long> seen, long setTo) {
    /** The place of a slice of which nothing is processed. A slice without a row is there, too. */
    public static final SliceOffset BEGINNING = new SliceOffset(1, Map.of(), 0);

    /** Whether nothing is processed yet, and nothing was set. */
    public boolean isBeginning() {
        return timestamp <= BEGINNING.timestamp && setTo == 0;
    }
}
