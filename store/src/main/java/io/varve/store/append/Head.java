package io.varve.store.append;

/**
 * What a writer must know of an entity to append to it.
 *
 * @param sequenceNumber the highest number ever stored; 0 for a new entity
 * @param timestamp the timestamp of the last event that has one; 0 if none is known
 */
public record Head(long sequenceNumber, long timestamp) {}
