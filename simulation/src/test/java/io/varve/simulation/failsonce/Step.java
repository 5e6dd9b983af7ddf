package io.varve.simulation.failsonce;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Something that a process does in a scene. */
interface Step {
    Step NOTHING = (scene, process) -> CompletableFuture.completedFuture(null);

    CompletionStage<?> run(Scene scene, ServiceProcess process);

    /** This, and then that. */
    default Step then(Step next) {
        return (scene, process) -> run(scene, process).thenCompose(done -> next.run(scene, process));
    }
}
