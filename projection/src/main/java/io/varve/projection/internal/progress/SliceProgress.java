package io.varve.projection.internal.progress;

import io.varve.projection.internal.event.Position;
import io.varve.store.internal.offset.SliceOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * How far a slice is complete.
 *
 * <p>Events can be completed out of order, as far as entities run in parallel. The place only moves over those at its beginning. An
 * event that has come late can be older than the place, also while it waits for others; until it is complete, what is stored is
 * where it comes again. So a row never skips an event that is still on its way.
 */
final class SliceProgress {
    /** What has come and has not begun. */
    private final Set<InFlight<?>> waiting = new HashSet<>();

    private final Deque<InFlight<?>> open = new ArrayDeque<>();
    private SliceOffset place = SliceOffset.BEGINNING;
    private SliceOffset stored = SliceOffset.BEGINNING;
    /** What was taken to be stored last; absent if that failed. */
    private Optional<SliceOffset> taken = Optional.of(SliceOffset.BEGINNING);
    /** The newest timestamp that the row can hold: what has failed, or is under way, may be stored. */
    private long storedAtMost;

    private long seen;
    private long reached;
    /** The oldest event that has come. */
    private long first = Long.MAX_VALUE;

    void start(SliceOffset at) {
        place = at;
        taken = Optional.of(at);
        stored(at);
    }

    /** An event has come. */
    void arrived(InFlight<?> event) {
        waiting.add(event);
        first = Math.min(first, event.heldFrom());
    }

    /** An event that has come is a duplicate. */
    void discard(InFlight<?> event) {
        waiting.remove(event);
    }

    void begin(InFlight<?> event) {
        waiting.remove(event);
        open.add(event);
        seen = Math.max(seen, event.position().timestamp());
        first = Math.min(first, event.heldFrom());
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
    }

    /** Where a restart must begin: what is on its way can be late, and older than the place. */
    SliceOffset restart() {
        long oldest = oldestOpen();
        return oldest < place.timestamp() ? new SliceOffset(oldest, Map.of(), place.setTo()) : place;
    }

    /** The timestamp of the oldest event on its way, or of what has caused it. */
    long oldestOpen() {
        return Stream.concat(waiting.stream(), open.stream())
                .mapToLong(InFlight::heldFrom)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Whether a restart would miss an event on its way, if it begins {@code window} before what may be stored. */
    boolean skips(long window) {
        return oldestOpen() < storedAtMost - window;
    }

    /** Whether there is something to be stored that was not taken last. */
    boolean isChanged() {
        return taken.filter(restart()::equals).isEmpty();
    }

    /** What is to be stored, if it is not what was taken last. */
    Optional<SliceOffset> takeChanged() {
        if (!isChanged()) {
            return Optional.empty();
        }
        SliceOffset now = restart();
        taken = Optional.of(now);
        storedAtMost = Math.max(storedAtMost, now.timestamp());
        return taken;
    }

    /** What was taken may be stored, or not. */
    void notStored() {
        taken = Optional.empty();
    }

    void stored(SliceOffset at) {
        stored = at;
        storedAtMost = at.timestamp();
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
