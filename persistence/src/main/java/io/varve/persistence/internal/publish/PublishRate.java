package io.varve.persistence.internal.publish;

import java.time.InstantSource;

/**
 * Whether a journal writes few enough events to publish them. Not any more as soon as it has written more within an interval
 * than the threshold allows; again when an interval has passed in which it wrote no more than that.
 */
final class PublishRate {
    private final InstantSource clock;
    private final long interval;
    private final long most;
    private long start;
    private long count;
    private boolean below = true;

    /** The rate of a journal that has written nothing yet. */
    PublishRate(PublishSettings settings, InstantSource clock) {
        this.clock = clock;
        this.interval = Math.max(1, settings.throughputInterval().toMillis());
        this.most = Math.max(1, settings.throughputThreshold() * interval / 1_000);
        this.start = clock.millis();
    }

    /** What a number of written events means. */
    enum Answer {
        PUBLISH,
        PUBLISH_AGAIN,
        STOP,
        STAY_STOPPED
    }

    /** Counts events that were written now. */
    synchronized Answer written(int events) {
        boolean before = below;
        long passed = clock.millis() - start;
        if (passed < 0 || passed >= interval) {
            below = count <= most || passed >= 2 * interval;
            start += passed < 0 ? passed : passed - passed % interval;
            count = 0;
        }
        count += events;
        below = below && count <= most;
        if (below) {
            return before ? Answer.PUBLISH : Answer.PUBLISH_AGAIN;
        }
        return before ? Answer.STOP : Answer.STAY_STOPPED;
    }
}
