package io.varve.store.offset;

import java.util.Map;

/**
 * How far a slice has been processed.
 *
 * @param timestamp of the newest event, in microseconds
 * @param seen the sequence numbers at exactly that timestamp, by persistence id
 * @param setTo the timestamp that somebody set by hand, before which events count as processed; 0 if nobody did
 */
public record SlicePlace(long timestamp, Map<String, Long> seen, long setTo) {}
