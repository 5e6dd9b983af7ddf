package io.varve.chaos.check;

/**
 * An event as the journal table has it.
 *
 * @param line operation, part and amount
 * @param digestBefore what the entity has made of all lines before
 * @param timestamp microseconds
 */
public record StoredEvent(long number, String line, String digestBefore, long timestamp) {}
