package io.varve.interop.peer;

import java.util.List;

/** What an actor saw while it recovered: the events in their order, and its last sequence number afterwards. */
public record Recovered(List<Event> events, long lastSequenceNumber) {

    /** The events cannot change. */
    public Recovered {
        events = List.copyOf(events);
    }

    /** A replayed event. */
    public record Event(long sequenceNumber, String payload) {}
}
