package io.varve.store.internal.slice;

import io.varve.store.SliceRange;
import io.varve.store.internal.layout.Event;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The events of a shard that wait to be taken, and how far the shard has been read. */
final class WaitingEvents {
    private final SliceRange slices;
    private final Deque<SliceEvent> events = new ArrayDeque<>();
    private long watermark;

    WaitingEvents(SliceRange slices, long watermark) {
        this.slices = slices;
        this.watermark = watermark;
    }

    /**
     * Adds what was read, when nothing waits any more; with it the shard has been read up to {@code upTo}, and is complete
     * before {@code floor}.
     */
    void add(List<Event> more, long upTo, long floor) {
        long left = floor;
        for (int i = more.size() - 1; i >= 0; i--) {
            events.addFirst(new SliceEvent(more.get(i), slices, left));
            left = Math.min(left, more.get(i).timestamp());
        }
        watermark = upTo;
    }

    int size() {
        return events.size();
    }

    boolean isEmpty() {
        return events.isEmpty();
    }

    /** Up to which timestamp everything that was visible has been read. */
    long watermark() {
        return watermark;
    }

    /** The timestamp of the next event; there must be one. */
    long oldest() {
        return events.element().event().timestamp();
    }

    @Nullable
    SliceEvent poll() {
        return events.poll();
    }
}
