package io.varve.chaos.load;

import java.util.concurrent.atomic.LongAdder;

/** How many operations the clients have made so far, for who watches. */
public final class LoadCounts {
    private final LongAdder acknowledged = new LongAdder();
    private final LongAdder events = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder unknown = new LongAdder();

    void acknowledged(int stored) {
        acknowledged.increment();
        events.add(stored);
    }

    void refused() {
        refused.increment();
    }

    void unknown() {
        unknown.increment();
    }

    /** Attempts that were acknowledged. */
    public long ofAcknowledged() {
        return acknowledged.sum();
    }

    /** Their events. */
    public long ofEvents() {
        return events.sum();
    }

    @Override
    public String toString() {
        return "%d acknowledged, %d refused, %d unknown".formatted(acknowledged.sum(), refused.sum(), unknown.sum());
    }
}
