package io.varve.simulation;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/** A process: it has a clock that may be wrong, it can stand still and go on, and it can die. What is to happen on it then does not. */
final class Node implements Executor {
    /** When the simulated worlds begin. */
    static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

    private final World world;
    private final String name;
    private final boolean slow;
    private Duration skew;
    private final List<Runnable> waiting = new ArrayList<>();
    private boolean alive = true;
    private boolean standsStill;
    private long cutOffUntil;
    private long stoodStill;

    /** A slow one is far from DynamoDB: all its messages take longer. */
    Node(World world, String name, Duration skew, boolean slow) {
        this.world = world;
        this.name = name;
        this.skew = skew;
        this.slow = slow;
    }

    boolean isSlow() {
        return slow;
    }

    String name() {
        return name;
    }

    boolean isAlive() {
        return alive;
    }

    boolean standsStill() {
        return standsStill;
    }

    /** Nothing reaches it, and it reaches nothing, for this long. */
    void cutOff(Duration time) {
        world.note(() -> name + " is cut off for " + time.toMillis() + " ms");
        cutOffUntil = Math.max(cutOffUntil, world.now() + time.toNanos());
    }

    boolean isCutOff() {
        return world.now() < cutOffUntil;
    }

    /** Its clock is set: from now on it is wrong by this. */
    void setClock(Duration wrongBy) {
        world.note(() -> name + " has its clock set, to " + wrongBy.toMillis() + " ms from what it is");
        skew = wrongBy;
    }

    /** For how long it has stood still, all times together, in nanoseconds. */
    long stoodStill() {
        return stoodStill;
    }

    void die() {
        world.note(() -> name + " dies");
        alive = false;
        waiting.clear();
    }

    /** Nothing happens on this node for a while; what was due meanwhile happens afterwards. */
    void standStill(Duration time) {
        if (!alive || standsStill) {
            return;
        }
        world.note(() -> name + " stands still");
        standsStill = true;
        world.after(time, () -> {
            standsStill = false;
            stoodStill += time.toNanos();
            world.note(() -> name + " goes on");
            List<Runnable> due = List.copyOf(waiting);
            waiting.clear();
            due.forEach(this::execute);
        });
    }

    /** Does it now, when the node goes on, or never. */
    @Override
    public void execute(Runnable action) {
        if (!alive) {
            return;
        }
        if (standsStill) {
            waiting.add(action);
        } else {
            action.run();
        }
    }

    World.Task after(Duration delay, Runnable action) {
        return world.after(delay, () -> execute(action));
    }

    /** What this node takes for the time of day. */
    InstantSource clock() {
        return () -> BEGINNING.plusNanos(world.now()).plus(skew);
    }
}
