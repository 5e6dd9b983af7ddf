package io.varve.simulation.failsonce.pekko;

import io.varve.simulation.failsonce.Fault;
import io.varve.simulation.failsonce.JournalItems.Leftovers;
import io.varve.simulation.failsonce.Processes;
import io.varve.simulation.failsonce.Scene;
import io.varve.simulation.failsonce.Trial;
import io.varve.simulation.failsonce.Way;
import io.varve.simulation.failsonce.store.Steps;
import io.varve.simulation.failsonce.store.WithoutPekko;
import io.varve.store.FailureKind;
import io.varve.store.StoreException;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Actor systems with the plugins, on real threads and in real time. */
final class PekkoProcesses implements Processes<PekkoProcess> {
    static final Kind<PekkoProcess> KIND = PekkoProcesses::new;

    /** What nothing takes longer than, on a machine that is very busy. */
    private static final long PATIENCE_SECONDS = 240;

    private static final Set<FailureKind> OUT_OF_TIME = EnumSet.of(FailureKind.NO_ANSWER, FailureKind.NOT_SENT);

    private final Scene scene;
    private final int disturbed;

    private PekkoProcesses(Scene scene, int disturbed) {
        this.scene = scene;
        this.disturbed = disturbed;
    }

    @Override
    public PekkoProcess start(Fault upcoming) {
        return new PekkoProcess(scene.server(), Patience.with(upcoming, disturbed));
    }

    @Override
    public void await(CompletableFuture<?> result, PekkoProcess process) {
        awaitAfterwards(CompletableFuture.anyOf(result, process.wire().ended()), process);
    }

    @Override
    public void awaitAfterwards(CompletableFuture<?> result, PekkoProcess process) {
        try {
            result.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // The trial looks at the result, or at that there is none.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Set<FailureKind> kinds(Way way) {
        Set<FailureKind> kinds = EnumSet.copyOf(OUT_OF_TIME);
        switch (way) {
            case DENIED -> kinds = EnumSet.of(FailureKind.REFUSED);
            case THROTTLED -> kinds.add(FailureKind.THROTTLED);
            default -> kinds.add(FailureKind.CONNECTION);
        }
        return kinds;
    }

    /** Pekko answers a management operation that has failed with silence; why it has is in the log. */
    @Override
    public boolean isAllThatIsTold(Throwable cause) {
        return cause instanceof TimeoutException;
    }

    @Override
    public boolean isTooSlow(PekkoProcess process, Throwable cause) {
        return process.patience().isShort()
                && Trial.cause(cause, StoreException.class)
                        .filter(store -> OUT_OF_TIME.contains(store.kind()))
                        .isPresent();
    }

    /**
     * When requests get through again, the use case succeeds in the process in which it has failed; if that is gone, in a fresh one,
     * before which all must be as it was told. The stores alone find what was told then, and go on.
     */
    @Override
    public void afterwards(Trial<PekkoProcess> trial, PekkoProcess process, boolean done) {
        if (!done && process.wire().isGone()) {
            process.end();
            look(trial, Leftovers.OF_ALL_THAT_FAILED, false);
            PekkoProcess second = start(Fault.NONE);
            try {
                trial.succeed(trial.useCase().act(), second);
            } finally {
                second.end();
            }
        } else if (!done) {
            process.wire().mend();
            trial.succeed(trial.useCase().act(), process);
        }
        process.end();
        look(trial, Leftovers.OF_WRITES, true);
        trial.compareContent();
        WithoutPekko.now(scene, Steps.goOn().then(Steps.lookAtAll(Leftovers.NONE)));
    }

    private void look(Trial<PekkoProcess> trial, Leftovers leftovers, boolean succeeded) {
        WithoutPekko.now(scene, Steps.lookAtAll(leftovers));
        trial.useCase().check().step(scene, succeeded);
    }
}
