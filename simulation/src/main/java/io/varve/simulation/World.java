package io.varve.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time on one thread: what is to be done, in the order of its time and then of its making. Nothing here waits; a year
 * passes as quickly as what happens in it.
 */
final class World {
    /** Something that happens at a time, unless it was called off. */
    static final class Task implements Comparable<Task> {
        private final long time;
        private final long number;
        private final Runnable action;
        private boolean calledOff;

        private Task(long time, long number, Runnable action) {
            this.time = time;
            this.number = number;
            this.action = action;
        }

        void callOff() {
            calledOff = true;
        }

        @Override
        public int compareTo(Task other) {
            int order = Long.compare(time, other.time);
            return order != 0 ? order : Long.compare(number, other.number);
        }
    }

    /** What happened at a time. */
    private record Line(long time, String what) {
        @Override
        public String toString() {
            return String.format("%12.6f  %s", time / 1e9, what);
        }
    }

    private final Random random;
    private final boolean keepsLog;
    private final PriorityQueue<Task> tasks = new PriorityQueue<>();
    private final Map<Rare, Integer> met = new EnumMap<>(Rare.class);
    private final List<Line> log = new ArrayList<>();
    private long now;
    private long made;
    private @Nullable BrokenPromise broken;

    /** Two worlds of one seed are the same, whether or not they keep a log. */
    World(long seed, boolean keepsLog) {
        this.random = new Random(seed);
        this.keepsLog = keepsLog;
    }

    /** All chance comes from here. */
    Random random() {
        return random;
    }

    boolean happens(double chance) {
        return chance > 0 && random.nextDouble() < chance;
    }

    /** A delay of about that much: mostly shorter, sometimes several times longer. */
    Duration about(Duration delay) {
        return Duration.ofNanos((long) (-Math.log(1 - random.nextDouble()) * delay.toNanos()));
    }

    /** Nanoseconds since the beginning. */
    long now() {
        return now;
    }

    Task after(Duration delay, Runnable action) {
        Task task = new Task(now + Math.max(0, delay.toNanos()), made++, action);
        tasks.add(task);
        return task;
    }

    /** Lets everything happen up to that time; false if nothing is left to happen before it. */
    boolean run(Duration time) {
        long end = now + time.toNanos();
        while (!tasks.isEmpty() && tasks.peek().time <= end) {
            Task task = tasks.remove();
            now = task.time;
            if (!task.calledOff) {
                keep(task.action);
            }
            if (broken != null) {
                throw broken;
            }
        }
        now = end;
        return !tasks.isEmpty();
    }

    /** Does something that a broken promise may come out of; the world then ends. */
    void keep(Runnable action) {
        try {
            action.run();
        } catch (BrokenPromise e) {
            broken(e);
        } catch (RuntimeException | Error e) {
            broken(new BrokenPromise("Something failed that must not: " + e, e));
        }
    }

    void broken(BrokenPromise promise) {
        note(() -> "BROKEN: " + promise.getMessage());
        broken = broken == null ? promise : broken;
    }

    /** Something happened; what it was is asked for only if the log is kept. */
    void note(Supplier<String> what) {
        if (keepsLog) {
            log.add(new Line(now, what.get()));
        }
    }

    void met(Rare rare) {
        met.merge(rare, 1, Integer::sum);
    }

    /** How often what is rare happened here. */
    Map<Rare, Integer> met() {
        return met;
    }

    /** What happened, a line each. */
    List<String> log() {
        return log.stream().map(Line::toString).toList();
    }
}
