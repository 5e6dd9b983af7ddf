package io.varve.simulation.failsonce.store;

import io.varve.simulation.failsonce.Fault;
import io.varve.simulation.failsonce.JournalItems.Leftovers;
import io.varve.simulation.failsonce.Processes;
import io.varve.simulation.failsonce.Scene;
import io.varve.simulation.failsonce.Step;
import io.varve.simulation.failsonce.Trial;
import io.varve.simulation.failsonce.Way;
import io.varve.store.FailureKind;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/** Processes with the stores of a service and without Pekko, one after another in virtual time. */
final class StoreProcesses implements Processes<ServiceProcess> {
    static final Kind<ServiceProcess> KIND = (scene, disturbed) -> new StoreProcesses(scene);

    /** What no use case takes longer than, all its steps with their retries together. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    /** The same for what follows, where much time passes between two steps. */
    private static final Duration AFTERWARDS = Duration.ofHours(2);

    private static final Instant BEGINNING = Instant.parse("2026-01-01T00:00:00Z");

    private final Scene scene;
    private final Timeline timeline;
    private final AtomicLong seeds = new AtomicLong();

    StoreProcesses(Scene scene) {
        this.scene = scene;
        this.timeline = new Timeline(BEGINNING);
    }

    /** After what the last one has sent is there. */
    @Override
    public ServiceProcess start(Fault upcoming) {
        timeline.pass(Duration.ofSeconds(1));
        return new ServiceProcess(scene.server(), timeline, seeds);
    }

    private ServiceProcess start() {
        return start(Fault.NONE);
    }

    @Override
    public void await(CompletableFuture<?> result, ServiceProcess process) {
        timeline.run(() -> result.isDone() || process.wire().isGone(), PATIENCE);
    }

    @Override
    public void awaitAfterwards(CompletableFuture<?> result, ServiceProcess process) {
        timeline.run(result::isDone, AFTERWARDS);
    }

    @Override
    public Set<FailureKind> kinds(Way way) {
        return switch (way) {
            case DENIED -> Set.of(FailureKind.REFUSED);
            case THROTTLED -> Set.of(FailureKind.THROTTLED);
            default -> Set.of(FailureKind.CONNECTION, FailureKind.NOT_SENT);
        };
    }

    /** In a fresh process all is as it was told, and the use case succeeds; a third one finds that, and a fourth one goes on. */
    @Override
    public void afterwards(Trial<ServiceProcess> trial, ServiceProcess process, boolean done) {
        process.end();
        ServiceProcess second = start();
        trial.succeed(look(trial, done ? Leftovers.OF_WRITES : Leftovers.OF_ALL_THAT_FAILED, done), second);
        if (!done) {
            trial.succeed(trial.useCase().act(), second);
        }
        second.end();
        trial.succeed(look(trial, Leftovers.OF_WRITES, true), start());
        trial.compareContent();
        trial.succeed(Steps.goOn().then(Steps.lookAtAll(Leftovers.NONE)), start());
    }

    private Step<ServiceProcess> look(Trial<ServiceProcess> trial, Leftovers leftovers, boolean succeeded) {
        return Steps.lookAtAll(leftovers).then(trial.useCase().check().step(scene, succeeded));
    }
}
