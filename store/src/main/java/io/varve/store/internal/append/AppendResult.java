package io.varve.store.internal.append;

import io.varve.store.EventRejectedException;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.LastWritten;
import java.util.List;

/** What came of an atomic write. */
public sealed interface AppendResult {

    /** It is stored, all of it: these events, of which there is at least one. */
    record Stored(List<Event> events) implements AppendResult {

        /** The end of the entity now. */
        public LastWritten head() {
            Event last = events.get(events.size() - 1);
            return new LastWritten(last.sequenceNumber(), last.timestamp());
        }
    }

    /** It cannot be stored, and nothing of it was; the entity may go on. */
    record Rejected(EventRejectedException reason) implements AppendResult {}
}
