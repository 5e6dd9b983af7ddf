package io.varve.simulation.failsonce;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.pekko.persistence.query.Offset;

/** What the consumer of a query has got, and the offset that it has stored with it. */
public final class ConsumerBook {
    private final Map<String, SortedMap<Long, String>> got = new HashMap<>();
    private Set<String> inThisRun = new HashSet<>();
    private Offset offset = Offset.noOffset();

    /** A query begins again from here. */
    public Offset begin() {
        inThisRun = new HashSet<>();
        return offset;
    }

    public void got(String entity, long number, String text, Offset its) {
        SortedMap<Long, String> events = got.computeIfAbsent(entity, id -> new TreeMap<>());
        Broken.unless(inThisRun.add(entity + "#" + number), "%s comes with %d twice in one run", entity, number);
        Broken.unless(
                events.containsKey(number) || events.isEmpty() || events.lastKey() < number,
                "%s comes with %d after %s",
                entity,
                number,
                events.isEmpty() ? "nothing" : events.lastKey());
        events.put(number, text);
        offset = its;
    }

    public Map<String, SortedMap<Long, String>> events() {
        return got;
    }
}
