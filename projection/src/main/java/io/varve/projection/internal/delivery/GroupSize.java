package io.varve.projection.internal.delivery;

/**
 * How many events are put into one transaction: fewer after DynamoDB has refused one, and slowly more again. What it refuses once,
 * because items are large or are changed by many events, it mostly refuses again.
 */
final class GroupSize {
    private static final int STORED_BEFORE_MORE = 10;

    private final int most;
    private int now;
    private int stored;

    GroupSize(int most) {
        this.most = most;
        this.now = most;
    }

    synchronized int now() {
        return now;
    }

    /** So many events were refused together. */
    synchronized void refused(int events) {
        now = Math.max(1, Math.min(now, events / 2));
        stored = 0;
    }

    /** So many events were stored together. */
    synchronized void stored(int events) {
        if (now < most && events >= now) {
            stored++;
            if (stored == STORED_BEFORE_MORE) {
                now = Math.min(most, now * 2);
                stored = 0;
            }
        }
    }
}
