package io.varve.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

    /** The features of a world have seeds of their own, from its seed on. */
    private static final long SEEDS_APART = 1_000;

    private final Random random;
    private final Map<Feature, Random> chances = new EnumMap<>(Feature.class);
    private final boolean keepsLog;
    private final Mix mix;
    private final PriorityQueue<Task> tasks = new PriorityQueue<>();
    private final Map<Rare, Integer> met = new EnumMap<>(Rare.class);
    private final List<Line> log = new ArrayList<>();
    private long now;
    private long made;
    private long deliveries;
    private @Nullable BrokenPromise broken;

    /** Two worlds of one seed are the same, whether or not they keep a log. */
    World(long seed, Choice choice, boolean keepsLog) {
        long next = seed * SEEDS_APART;
        for (Feature feature : Feature.values()) {
            chances.put(feature, new Random(next++));
        }
        this.random = new Random(seed);
        this.keepsLog = keepsLog;
        this.mix = Mix.drawn(random, chances, choice);
    }

    /** How often what happens here. */
    Mix mix() {
        return mix;
    }

    /** Each feature has its own chance, so that a world without another one is much the same. */
    boolean happens(Feature feature) {
        double chance = mix.chance(feature);
        return chance > 0 && Objects.requireNonNull(chances.get(feature)).nextDouble() < chance;
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

    /** The same, but never longer than that. */
    Duration about(Duration delay, Duration longest) {
        Duration time = about(delay);
        return time.compareTo(longest) < 0 ? time : longest;
    }

    /** A time up to that, each as likely as any other. */
    Duration within(Duration longest) {
        return Duration.ofNanos((long) (random.nextDouble() * longest.toNanos()));
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

    /** A query has delivered an event. */
    void delivered() {
        deliveries++;
    }

    /** How many events queries have delivered. */
    long deliveries() {
        return deliveries;
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
