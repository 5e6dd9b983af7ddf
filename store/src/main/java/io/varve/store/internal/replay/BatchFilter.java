package io.varve.store.internal.replay;

import io.varve.store.internal.layout.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Lets an atomic write through whole or not at all, and placeholders not at all.
 *
 * <p>An atomic write whose first events lie before the start of the replay (deleted, or covered by a snapshot) is let through
 * from there on. One of which a part is missing is dropped.
 */
final class BatchFilter {
    private final Consumer<Event> out;
    private final List<Event> pending = new ArrayList<>();
    private long start;
    private Optional<Event> heldBack = Optional.empty();

    /** A filter for a replay that begins with sequence number {@code start}. */
    BatchFilter(long start, Consumer<Event> out) {
        this.start = start;
        this.out = out;
    }

    /** Sets the first number of the replay anew: events before it have been deleted. */
    void startAt(long first) {
        this.start = first;
    }

    void add(Event event) {
        heldBack = Optional.empty();
        if (event.placeholder()) {
            pending.clear();
            return;
        }
        if (event.batch().isEmpty()) {
            pending.clear();
            out.accept(event);
            return;
        }
        if (!continues(event)) {
            pending.clear();
            if (!begins(event)) {
                heldBack = Optional.of(event);
                return;
            }
        }
        pending.add(event);
        if (event.sequenceNumber() == event.batchEnd()) {
            pending.forEach(out);
            pending.clear();
        } else {
            heldBack = Optional.of(event);
        }
    }

    /** The last event that was added, if it was not let through. */
    Optional<Event> heldBack() {
        return heldBack;
    }

    /** The events of an atomic write that may still become whole. */
    List<Event> pending() {
        return pending;
    }

    /** What is dropped if this event comes next: the beginning of an atomic write, or this event, which belongs to none. */
    Optional<Event> droppedBy(Event event) {
        if (continues(event)) {
            return Optional.empty();
        }
        return pending.isEmpty()
                ? Optional.of(event).filter(one -> one.batch().isPresent() && !begins(one))
                : Optional.of(pending.get(0));
    }

    /** Forgets the atomic write that is not whole yet. */
    void clear() {
        pending.clear();
        heldBack = Optional.empty();
    }

    private boolean continues(Event event) {
        if (pending.isEmpty()) {
            return false;
        }
        Event last = pending.get(pending.size() - 1);
        return event.sequenceNumber() == last.sequenceNumber() + 1 && ofOneWrite(event, last);
    }

    private boolean begins(Event event) {
        return event.sequenceNumber() == Math.max(event.batchStart(), start);
    }

    /** Whether two events belong to the same atomic write. */
    static boolean ofOneWrite(Event one, Event other) {
        return one.batchStart() == other.batchStart()
                && one.batchEnd() == other.batchEnd()
                && one.writer().equals(other.writer());
    }
}
