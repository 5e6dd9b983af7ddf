package io.varve.projection.internal.admission;

import io.varve.store.internal.offset.EntityRow;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.SetOffsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** Knows which events of entities were processed last. */
public interface LastProcessedEvents {

    /**
     * What is known of some entities.
     *
     * @param last the events that were processed last, of those that have one
     * @param again the entities whose events are processed again from the first one on, also those before the offset that was set
     * @param parked where entities are set aside
     */
    record Loaded(Map<String, LastProcessed> last, Set<String> again, Map<String, EntityRow.ParkedAt> parked) {
        /** None is parked. */
        public Loaded(Map<String, LastProcessed> last, Set<String> again) {
            this(last, again, Map.of());
        }
    }

    /** Fails with {@code OffsetWasSetException} if somebody has set the offset since {@code sets} were read. */
    CompletionStage<Loaded> load(Collection<String> persistenceIds, SetOffsets sets);

    /** The rows of the offset table. */
    static LastProcessedEvents of(OffsetTable table) {
        return (persistenceIds, sets) -> table.load(persistenceIds, sets).thenApply(rows -> {
            Map<String, LastProcessed> last = new HashMap<>();
            Map<String, EntityRow.ParkedAt> parked = new HashMap<>();
            rows.forEach((persistenceId, row) -> {
                if (row.last().sequenceNumber() > 0) {
                    last.put(persistenceId, row.last());
                }
                row.parkedAt().ifPresent(at -> parked.put(persistenceId, at));
            });
            return new Loaded(last, Set.of(), parked);
        });
    }
}
