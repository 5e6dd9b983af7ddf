package io.varve.store.internal.offset;

/** A step of an entity, from before its event {@code first} to its event {@code last}. */
public record Advance(LastProcessed last, LastProcessed first) {}
