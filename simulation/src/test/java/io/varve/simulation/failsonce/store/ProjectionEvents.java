package io.varve.simulation.failsonce.store;

import io.varve.store.Slices;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.SliceOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The events of a projection, as a journal would have them. */
final class ProjectionEvents {
    private static final long BEGINNING = 1_700_000_000_000_000L;

    private ProjectionEvents() {}

    /** An event of an entity. */
    static LastProcessed event(String entity, long number) {
        return new LastProcessed(entity, number, timestamp(number));
    }

    static long timestamp(long number) {
        return BEGINNING + 1_000_000 * number;
    }

    /** The place of a slice behind these events. */
    static Map<Integer, SliceOffset> places(List<LastProcessed> events) {
        Map<Integer, SliceOffset> places = new HashMap<>();
        events.forEach(event -> places.put(
                Slices.of(event.persistenceId()),
                new SliceOffset(event.timestamp(), Map.of(event.persistenceId(), event.sequenceNumber()), 0)));
        return places;
    }
}
