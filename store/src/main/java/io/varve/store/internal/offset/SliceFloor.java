package io.varve.store.internal.offset;

/**
 * Says of neighbouring slices that are read together in the order of time: all their events up to this time are processed, as far as
 * they were visible. It stays true, so that of several the highest counts.
 *
 * @param timestamp in microseconds
 */
public record SliceFloor(long timestamp, int minSlice, int maxSlice) {}
