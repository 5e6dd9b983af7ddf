package io.varve.testkit;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Where matching requests wait until the test lets them go on. */
public final class Gate {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private int arrivals;
    private int permits;
    private boolean open;

    Gate() {}

    /** Waits until a first request has come; fails after half a minute. */
    public void awaitArrival() {
        awaitArrivals(1);
    }

    /** Waits until so many requests have come since the gate was made; fails after half a minute. */
    public synchronized void awaitArrivals(int requests) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (arrivals < requests) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new AssertionError("%d requests came to the gate within %s, %d were expected"
                        .formatted(arrivals, PATIENCE, requests));
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("Interrupted while waiting for a request at the gate", e);
            }
        }
    }

    /** How many requests have come so far. */
    public synchronized int arrivals() {
        return arrivals;
    }

    /** Lets the request that has waited longest go on, or the next one that comes. */
    public void release() {
        Runnable next;
        synchronized (this) {
            next = waiting.poll();
            if (next == null) {
                permits++;
                return;
            }
        }
        next.run();
    }

    /** Opens the gate for good: all that wait go on, and all that come pass. */
    public void releaseAll() {
        List<Runnable> all;
        synchronized (this) {
            open = true;
            all = new ArrayList<>(waiting);
            waiting.clear();
        }
        all.forEach(Runnable::run);
    }

    void arrive(Runnable goOn) {
        synchronized (this) {
            arrivals++;
            notifyAll();
            if (!open && permits == 0) {
                waiting.add(goOn);
                return;
            }
            if (!open) {
                permits--;
            }
        }
        goOn.run();
    }
}
