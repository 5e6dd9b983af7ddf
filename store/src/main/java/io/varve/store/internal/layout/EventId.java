package io.varve.store.internal.layout;

/** Which event: the entity and the place in its history. */
public record EventId(String persistenceId, long sequenceNumber) {}
