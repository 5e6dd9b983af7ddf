package io.varve.projection.internal.admission;

import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.SetOffsets;
import java.util.Collection;
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
     */
    record Loaded(Map<String, LastProcessed> last, Set<String> again) {}

    /** Fails with {@code OffsetWasSetException} if somebody has set the offset since {@code sets} were read. */
    CompletionStage<Loaded> load(Collection<String> persistenceIds, SetOffsets sets);

    /** The rows of the offset table. */
    static LastProcessedEvents of(OffsetTable table) {
        return (persistenceIds, sets) ->
                table.lastProcessed(persistenceIds, sets).thenApply(last -> new Loaded(last, Set.of()));
    }
}
