package io.varve.projection.internal.progress;

import io.varve.projection.internal.event.Position;
import io.varve.store.internal.offset.LastProcessed;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The last event of each entity whose last one an adapter has dropped, as long as no row says so. Rows only spare the next start a
 * look at these events: if they cannot be stored and become too many, the oldest are left out.
 */
final class DroppedEvents {
    static final int MOST = 10_000;

    private final Map<String, LastProcessed> byEntity = new LinkedHashMap<>();

    void add(Position position) {
        byEntity.remove(position.persistenceId()); // to become the youngest
        byEntity.put(position.persistenceId(), position.asProcessed());
        if (byEntity.size() > MOST) {
            byEntity.remove(byEntity.keySet().iterator().next());
        }
    }

    int size() {
        return byEntity.size();
    }

    /** A row says something of this event, and so of all before it. */
    void stored(Position position) {
        LastProcessed dropped = byEntity.get(position.persistenceId());
        if (dropped != null && dropped.timestamp() <= position.timestamp()) {
            byEntity.remove(position.persistenceId());
        }
    }

    /** Rows say so now, unless others were dropped meanwhile. */
    void stored(List<LastProcessed> rows) {
        rows.forEach(row -> byEntity.remove(row.persistenceId(), row));
    }

    /** Those of some entities. */
    List<LastProcessed> of(Predicate<String> persistenceIds) {
        return byEntity.values().stream()
                .filter(last -> persistenceIds.test(last.persistenceId()))
                .toList();
    }
}
