package io.varve.simulation;

import io.varve.projection.internal.event.EntityTimes;
import io.varve.store.internal.journal.EventReader;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.EventId;
import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.replay.EventCursor;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What a projection asks the journal, as Varve's source provider answers it. */
record JournalTimes(EventReader reader) implements EntityTimes {

    @Override
    public CompletionStage<Map<EventId, Instant>> timestampsOf(Collection<EventId> events) {
        return reader.events(events).thenApply(found -> {
            Map<EventId, Instant> times = new HashMap<>();
            found.forEach(event -> times.put(
                    new EventId(event.persistenceId(), event.sequenceNumber()),
                    Microseconds.toInstant(event.timestamp())));
            return times;
        });
    }

    @Override
    public CompletionStage<Boolean> holdsFirstEvent(String persistenceId) {
        return reader.holdsFirst(persistenceId);
    }

    @Override
    public boolean skipsHoles() {
        return true;
    }

    /** All that a cursor has. */
    static CompletionStage<List<Event>> all(EventCursor cursor) {
        return cursor.next()
                .thenCompose(page -> page.isEmpty()
                        ? CompletableFuture.completedFuture(List.of())
                        : all(cursor).thenApply(rest -> {
                            List<Event> whole = new ArrayList<>(page.get());
                            whole.addAll(rest);
                            return whole;
                        }));
    }
}
