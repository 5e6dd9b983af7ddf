package io.varve.store.slice;

import io.varve.store.layout.Event;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
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
        private final Queue<Event> events = new ArrayDeque<>();
        private long watermark;

        private Input(long watermark) {
            this.watermark = watermark;
        }

        /** Adds what was read; with it the shard has been read up to {@code upTo}. */
        void add(List<Event> more, long upTo) {
            events.addAll(more);
            watermark = upTo;
        }

        boolean isEmpty() {
            return events.isEmpty();
        }
    }

    /** One more shard, which has been read up to a timestamp. */
    Input input(long watermark) {
        Input input = new Input(watermark);
        inputs.add(input);
        return input;
    }

    /** The next event, if there is one that need not wait. */
    @Nullable
    Event poll() {
        Input first = null;
        for (Input input : inputs) {
            Event head = input.events.peek();
            if (head != null
                    && (first == null
                            || head.timestamp() < first.events.element().timestamp())) {
                first = input;
            }
        }
        return first != null && mayPass(first.events.element().timestamp()) ? first.events.poll() : null;
    }

    /** Whether an event of that time need not wait for shards that have nothing to deliver. */
    boolean mayPass(long timestamp) {
        if (slack == ANY_SLACK) {
            return true;
        }
        for (Input input : inputs) {
            if (input.events.isEmpty() && input.watermark < timestamp - slack) {
                return false;
            }
        }
        return true;
    }
}
