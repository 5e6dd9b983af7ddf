package io.varve.store.internal.slice;

import java.util.ArrayList;
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
    private final List<WaitingEvents> shards = new ArrayList<>();
    /** Up to which timestamp nothing is missing of shards that are to be added. */
    private long missing = Long.MAX_VALUE;

    Merge(long slack) {
        this.slack = slack;
    }

    /** One more shard. */
    void add(WaitingEvents shard) {
        shards.add(shard);
    }

    /** More shards may be added, with events after a timestamp. */
    void mayMiss(long after) {
        missing = after;
    }

    /** The next event, if there is one that need not wait. */
    @Nullable
    SliceEvent poll() {
        WaitingEvents first = first();
        return first != null && mayPass(first.oldest()) ? first.poll() : null;
    }

    /** Whether all events that wait have to wait for shards that have nothing to deliver. */
    boolean isHeldUp() {
        WaitingEvents first = first();
        return first != null && !mayPass(first.oldest());
    }

    private @Nullable WaitingEvents first() {
        WaitingEvents first = null;
        for (WaitingEvents shard : shards) {
            if (!shard.isEmpty() && (first == null || shard.oldest() < first.oldest())) {
                first = shard;
            }
        }
        return first;
    }

    /** Whether an event of that time need not wait for shards that have nothing to deliver. */
    boolean mayPass(long timestamp) {
        if (slack == ANY_SLACK) {
            return true;
        }
        if (missing < timestamp - slack) {
            return false;
        }
        for (WaitingEvents shard : shards) {
            if (shard.isEmpty() && shard.watermark() < timestamp - slack) {
                return false;
            }
        }
        return true;
    }
}
