package io.varve.store.internal.slice;

import io.varve.store.internal.layout.Event;
import java.util.Optional;

/** An atomic write of several events, by what they have in common. Another one can have used the same numbers before, or after. */
record AtomicWrite(String persistenceId, long start, long end, String writer, Optional<String> id) {

    /** The one that an event belongs to, if it was not written alone. */
    static Optional<AtomicWrite> of(Event event) {
        return event.batch()
                .map(batch -> new AtomicWrite(
                        event.persistenceId(), event.batchStart(), event.batchEnd(), event.writer(), batch.id()));
    }

    long size() {
        return end - start + 1;
    }
}
