package io.varve.benchmark.driver;

import java.util.concurrent.atomic.AtomicLongArray;

/** Counts times in buckets that differ by one per cent; many threads may add. */
final class Histogram {
    private static final double STEP = Math.log(1.01);
    private static final int BUCKETS = (int) Math.ceil(Math.log(1e12) / STEP) + 1;

    private final AtomicLongArray counts = new AtomicLongArray(BUCKETS);

    void add(long nanos) {
        counts.incrementAndGet((int) Math.min(BUCKETS - 1, Math.log(Math.max(1.0, (double) nanos)) / STEP));
    }

    long count() {
        long sum = 0;
        for (int i = 0; i < BUCKETS; i++) {
            sum += counts.get(i);
        }
        return sum;
    }

    /** The time in milliseconds that this share of all times does not exceed, up to one per cent. */
    double millis(double share) {
        long wanted = (long) Math.ceil(share * count());
        long seen = 0;
        for (int i = 0; i < BUCKETS; i++) {
            seen += counts.get(i);
            if (seen >= wanted) {
                return Math.exp((i + 0.5) * STEP) / 1e6;
            }
        }
        throw new IllegalStateException("nothing was counted");
    }
}
