package io.varve.simulation.failsonce.store;

import io.varve.simulation.failsonce.Broken;
import io.varve.simulation.failsonce.Scene;
import io.varve.simulation.failsonce.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** What a process with the stores alone does, in no time and without faults, before others run on the same data or after them. */
public final class WithoutPekko {
    private static final Duration LONG_AGO = Duration.ofHours(1);
    private static final Duration PATIENCE = Duration.ofHours(2);

    /** Each process has its own chance, and makes names that no other one makes. */
    private static final AtomicLong SEEDS = new AtomicLong();

    private WithoutPekko() {}

    /** Was done long ago. */
    public static Consumer<Scene> longAgo(Step<ServiceProcess> step) {
        return scene -> run(scene, step, Instant.now().minus(LONG_AGO));
    }

    /** Is done now, in a fresh process. */
    public static void now(Scene scene, Step<ServiceProcess> step) {
        run(scene, step, Instant.now());
    }

    private static void run(Scene scene, Step<ServiceProcess> step, Instant beginning) {
        Timeline timeline = new Timeline(beginning);
        CompletableFuture<?> result = step.run(scene, new ServiceProcess(scene.server(), timeline, SEEDS))
                .toCompletableFuture();
        timeline.run(result::isDone, PATIENCE);
        Broken.unless(result.isDone(), "gets no answer after a fresh start");
        result.join();
    }
}
