package io.varve.simulation.failsonce.store;

import java.time.Duration;
import java.time.Instant;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;

/** Virtual time on one thread: what is to be done, in the order of its time and then of its making. */
final class Timeline {
    private record Task(long time, long number, Runnable action) implements Comparable<Task> {
        @Override
        public int compareTo(Task other) {
            int order = Long.compare(time, other.time);
            return order != 0 ? order : Long.compare(number, other.number);
        }
    }

    private final Instant beginning;
    private final PriorityQueue<Task> tasks = new PriorityQueue<>();
    private long now;
    private long made;

    Timeline(Instant beginning) {
        this.beginning = beginning;
    }

    long nanoTime() {
        return now;
    }

    Instant instant() {
        return beginning.plusNanos(now);
    }

    /** What is returned calls it off. */
    Runnable after(Duration delay, Runnable action) {
        Task task = new Task(now + Math.max(0, delay.toNanos()), made++, action);
        tasks.add(task);
        return () -> tasks.remove(task);
    }

    /** Lets things happen until something is true, or for so long. */
    void run(BooleanSupplier until, Duration atMost) {
        long end = now + atMost.toNanos();
        while (!until.getAsBoolean()) {
            Task next = tasks.peek();
            if (next == null || next.time > end) {
                now = end;
                return;
            }
            tasks.remove();
            now = next.time;
            next.action.run();
        }
    }

    /** Lets so much time pass. */
    void pass(Duration time) {
        run(() -> false, time);
    }
}
