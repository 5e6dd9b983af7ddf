package io.varve.store.replay;

import io.varve.store.layout.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Lets an atomic write through whole or not at all.
 *
 * <p>An atomic write whose first events lie before the start of the replay (deleted, or covered by a snapshot) is let through
 * from there on. One of which a part is missing is dropped.
 */
final class BatchFilter {
    private final long start;
    private final Consumer<Event> out;
    private final List<Event> pending = new ArrayList<>();

    /** A filter for a replay that begins with sequence number {@code start}. */
    BatchFilter(long start, Consumer<Event> out) {
        this.start = start;
        this.out = out;
    }

    void add(Event event) {
        if (event.batch().isEmpty()) {
            pending.clear();
            out.accept(event);
            return;
        }
        if (!continues(event)) {
            pending.clear();
            if (!begins(event)) {
                return;
            }
        }
        pending.add(event);
        if (event.sequenceNumber() == event.batchEnd()) {
            pending.forEach(out);
            pending.clear();
        }
    }

    private boolean continues(Event event) {
        if (pending.isEmpty()) {
            return false;
        }
        Event last = pending.get(pending.size() - 1);
        return event.sequenceNumber() == last.sequenceNumber() + 1
                && event.batchStart() == last.batchStart()
                && event.batchEnd() == last.batchEnd()
                && event.writer().equals(last.writer());
    }

    private boolean begins(Event event) {
        return event.sequenceNumber() == Math.max(event.batchStart(), start);
    }
}
