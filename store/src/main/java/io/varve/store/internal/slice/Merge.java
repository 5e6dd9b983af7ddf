package io.varve.store.internal.slice;

import io.varve.store.SliceRange;
import io.varve.store.internal.layout.Event;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Brings the events of several shards together, the oldest first.
 *
 * <p>Whoever keeps one timestamp for all shards must be able to go on from it. So an event waits until every shard has been read
 * up to some time before it, the slack, which is what such a restart reads again.
 */
final class Merge {
    /** For those who keep an offset for each slice: shards need not wait for each other. */
    static final long ANY_SLACK = Long.MAX_VALUE;

    private final long slack;
    private final List<Input> inputs = new ArrayList<>();

    Merge(long slack) {
        this.slack = slack;
    }

    /** The events of one shard that wait. */
    static final class Input {
        private final SliceRange slices;
        private final Deque<Delivery> waiting = new ArrayDeque<>();
        private long watermark;

        private Input(SliceRange slices, long watermark) {
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
                waiting.addFirst(new Delivery(more.get(i), slices, left));
                left = Math.min(left, more.get(i).timestamp());
            }
            watermark = upTo;
        }

        boolean isEmpty() {
            return waiting.isEmpty();
        }

        private long oldest() {
            return waiting.element().event().timestamp();
        }
    }

    /** One more shard, which has been read up to a timestamp. */
    Input input(SliceRange slices, long watermark) {
        Input input = new Input(slices, watermark);
        inputs.add(input);
        return input;
    }

    /** The next event, if there is one that need not wait. */
    @Nullable
    Delivery poll() {
        Input first = null;
        for (Input input : inputs) {
            if (!input.isEmpty() && (first == null || input.oldest() < first.oldest())) {
                first = input;
            }
        }
        return first != null && mayPass(first.oldest()) ? first.waiting.poll() : null;
    }

    /** Whether an event of that time need not wait for shards that have nothing to deliver. */
    boolean mayPass(long timestamp) {
        if (slack == ANY_SLACK) {
            return true;
        }
        for (Input input : inputs) {
            if (input.isEmpty() && input.watermark < timestamp - slack) {
                return false;
            }
        }
        return true;
    }
}
