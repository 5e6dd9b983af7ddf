package io.varve.simulation.failsonce;

import io.varve.store.internal.layout.Event;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.pekko.persistence.query.Offset;

/** What the consumer of a query has got, and the offset that it has stored with it. */
final class ConsumerBook {
    private final Map<String, SortedMap<Long, String>> got = new HashMap<>();
    private Set<String> inThisRun = new HashSet<>();
    private Offset offset = Offset.noOffset();

    /** A query begins again from here. */
    Offset begin() {
        inThisRun = new HashSet<>();
        return offset;
    }

    void got(Event event, Offset its) {
        SortedMap<Long, String> events = got.computeIfAbsent(event.persistenceId(), id -> new TreeMap<>());
        Broken.unless(
                inThisRun.add(event.persistenceId() + "#" + event.sequenceNumber()),
                "%s comes with %d twice in one run",
                event.persistenceId(),
                event.sequenceNumber());
        Broken.unless(
                events.containsKey(event.sequenceNumber())
                        || events.isEmpty()
                        || events.lastKey() < event.sequenceNumber(),
                "%s comes with %d after %s",
                event.persistenceId(),
                event.sequenceNumber(),
                events.isEmpty() ? "nothing" : events.lastKey());
        events.put(event.sequenceNumber(), Steps.text(event.payload()));
        offset = its;
    }

    Map<String, SortedMap<Long, String>> events() {
        return got;
    }
}
