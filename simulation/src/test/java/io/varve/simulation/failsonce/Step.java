package io.varve.simulation.failsonce;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Something that a process does in a scene.
 *
 * @param <P> the kind of process
 */
public interface Step<P extends RunningService> {
    /** Does it. */
    CompletionStage<?> run(Scene scene, P process);

    /** This, and then that. */
    default Step<P> then(Step<P> next) {
        return (scene, process) -> run(scene, process).thenCompose(done -> next.run(scene, process));
    }

    /** Nothing. */
    static <P extends RunningService> Step<P> nothing() {
        return (scene, process) -> CompletableFuture.completedFuture(null);
    }
}
