package io.varve.benchmark.driver;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;

/** Workers that each persist one event after another, or one burst of them: first to warm up, then to be measured. */
public final class ClosedLoop {
    private static final long LONGEST_MINUTES = 5;
    private static final int SIGNIFICANT_DIGITS = 2;

    /** What the workers write to. */
    public interface Target {
        /** Persists an event of a worker and reports how it went. */
        void persist(int worker, Outcome outcome);
    }

    /** How a write ends. */
    public interface Outcome {
        /** The event is stored. */
        void persisted();

        /** The event is not stored, which ends the measurement. */
        void failed(Throwable cause);
    }

    private enum Phase {
        WARM_UP,
        MEASURED,
        END
    }

    private final int workers;
    private final Target target;
    private final long warmUp;
    private final int burst;
    private final AtomicLongArray started;
    private final AtomicLong done = new AtomicLong();
    private final Histogram times = new AtomicHistogram(TimeUnit.MINUTES.toNanos(LONGEST_MINUTES), SIGNIFICANT_DIGITS);
    private final CountDownLatch warm = new CountDownLatch(1);
    private final CountDownLatch failed = new CountDownLatch(1);
    private final CountDownLatch ended;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile Phase phase = Phase.WARM_UP;

    /** The warm-up is a number of events of all workers together; each write of the target is {@code burst} events. */
    public ClosedLoop(int workers, long warmUp, int burst, Target target) {
        this.workers = workers;
        this.burst = burst;
        this.warmUp = Math.max(1, warmUp / burst);
        this.target = target;
        this.started = new AtomicLongArray(workers);
        this.ended = new CountDownLatch(workers);
    }

    /** Runs all workers and measures for that long. */
    public Map<String, Object> run(Duration duration) throws InterruptedException {
        for (int worker = 0; worker < workers; worker++) {
            next(worker);
        }
        await(warm, "The warm-up");
        Usage before = Usage.now();
        phase = Phase.MEASURED;
        boolean broken = failed.await(duration.toNanos(), TimeUnit.NANOSECONDS);
        phase = Phase.END;
        Usage after = Usage.now();
        if (!broken) {
            await(ended, "The end of the last writes");
        }
        Throwable cause = failure.get();
        if (cause != null) {
            throw new IllegalStateException("A write failed: " + cause, cause);
        }
        Map<String, Object> figures = after.since(before, times.getTotalCount() * burst);
        figures.put("p50", times.getValueAtPercentile(50) / 1e6);
        figures.put("p99", times.getValueAtPercentile(99) / 1e6);
        return figures;
    }

    private void next(int worker) {
        started.set(worker, System.nanoTime());
        target.persist(worker, new Outcome() {
            @Override
            public void persisted() {
                ClosedLoop.this.persisted(worker);
            }

            @Override
            public void failed(Throwable cause) {
                failure.compareAndSet(null, cause);
                warm.countDown();
                failed.countDown();
            }
        });
    }

    private void persisted(int worker) {
        Phase now = phase;
        if (now == Phase.WARM_UP && done.incrementAndGet() == warmUp) {
            warm.countDown();
        } else if (now == Phase.MEASURED) {
            times.recordValue(Math.min(System.nanoTime() - started.get(worker), times.getHighestTrackableValue()));
        }
        if (now == Phase.END) {
            ended.countDown();
        } else {
            next(worker);
        }
    }

    private static void await(CountDownLatch latch, String what) throws InterruptedException {
        if (!latch.await(LONGEST_MINUTES, TimeUnit.MINUTES)) {
            throw new IllegalStateException(what + " took more than " + LONGEST_MINUTES + " minutes");
        }
    }
}
