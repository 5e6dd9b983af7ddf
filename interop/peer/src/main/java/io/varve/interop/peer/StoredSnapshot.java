package io.varve.interop.peer;

/** A snapshot with its number and its time in milliseconds. */
public record StoredSnapshot(long sequenceNumber, long timestamp, String payload) {}
