package io.varve.projection.internal.progress;

import io.varve.projection.internal.event.Position;
import io.varve.store.internal.offset.SliceOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How far a slice is complete.
 *
 * <p>Events can be completed out of order, as far as entities run in parallel. The place only moves over those at its beginning, so
 * that what is stored as a place never skips an event that is still on its way.
 */
final class SliceProgress {
    private final Deque<InFlight<?>> open = new ArrayDeque<>();
    private SliceOffset place = SliceOffset.BEGINNING;
    private SliceOffset stored = SliceOffset.BEGINNING;
    private boolean changed;
    private long seen;
    private long reached;
    /** The oldest event that has come. */
    private long first = Long.MAX_VALUE;

    void start(SliceOffset at) {
        place = at;
        stored = at;
    }

    /** An event has come. */
    void arrived(long timestamp) {
        first = Math.min(first, timestamp);
    }

    void begin(InFlight<?> event) {
        open.add(event);
        seen = Math.max(seen, event.position().timestamp());
        arrived(event.cause());
        changed |= event.cause() < place.timestamp();
    }

    /** The events of its entity before one of which nobody has said that they are processed. */
    List<InFlight<?>> notProcessedBefore(InFlight<?> event) {
        List<InFlight<?>> before = new ArrayList<>();
        for (InFlight<?> earlier : open) {
            if (earlier == event) {
                break;
            }
            if (!earlier.isProcessed()
                    && !earlier.isComplete()
                    && earlier.position()
                            .persistenceId()
                            .equals(event.position().persistenceId())) {
                before.add(earlier);
            }
        }
        return before;
    }

    /** Moves the place over what is complete. */
    void advance() {
        for (InFlight<?> next = open.peek(); next != null && next.isComplete(); next = open.peek()) {
            place = later(place, next.position());
            reached = Math.max(reached, next.position().timestamp());
            changed = true;
            open.remove();
        }
    }

    private static SliceOffset later(SliceOffset before, Position position) {
        Map<String, Long> one = Map.of(position.persistenceId(), position.sequenceNumber());
        if (position.timestamp() > before.timestamp()) {
            return new SliceOffset(position.timestamp(), one, before.setTo());
        }
        if (position.timestamp() < before.timestamp()) {
            return before;
        }
        Map<String, Long> seen = new HashMap<>(before.seen());
        seen.merge(position.persistenceId(), position.sequenceNumber(), Math::max);
        return new SliceOffset(before.timestamp(), seen, before.setTo());
    }

    /** Moves the place to a timestamp although no event is there. */
    void follow(long timestamp) {
        place = new SliceOffset(timestamp, Map.of(), place.setTo());
        changed = true;
    }

    /** Where a restart must begin: what is open can be late, and older than the place. */
    SliceOffset restart() {
        long oldest = oldestOpen();
        return oldest < place.timestamp() ? new SliceOffset(oldest, Map.of(), place.setTo()) : place;
    }

    /** The timestamp of the oldest event under way, or of what has caused it. */
    long oldestOpen() {
        return open.stream().mapToLong(InFlight::cause).min().orElse(Long.MAX_VALUE);
    }

    /** Whether the place has changed since the last call. */
    boolean takeChanged() {
        boolean was = changed;
        changed = false;
        return was;
    }

    void notStored() {
        changed = true;
    }

    void stored(SliceOffset at) {
        stored = at;
    }

    SliceOffset stored() {
        return stored;
    }

    SliceOffset place() {
        return place;
    }

    /** Before which timestamp somebody has declared the events to be processed. */
    long setTo() {
        return place.setTo();
    }

    /** The timestamp of the newest event that has come. */
    long seen() {
        return seen;
    }

    /** The timestamp of the newest event that the place has moved over. */
    long reached() {
        return reached;
    }

    /** The timestamp of the oldest event that has come. */
    long first() {
        return first;
    }
}
