package io.varve.simulation.failsonce;

import io.varve.store.FailureKind;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Starts processes of one kind on the data of a scene, and looks at what they leave.
 *
 * @param <P> the kind of process
 */
public interface Processes<P extends RunningService> {
    /** A fresh process, to which this is going to happen. */
    P start(Fault upcoming);

    /** Lets the process work until there is a result, or it is gone; neither if that takes far too long. */
    void await(CompletableFuture<?> result, P process);

    /** Lets a fresh process work until there is a result, or far too long. */
    void awaitAfterwards(CompletableFuture<?> result, P process);

    /** What a failure that lasts until the time is spent may be told as. */
    Set<FailureKind> kinds(Way way);

    /** Whether what a user is told, though not by Varve, is all that there is to tell. */
    default boolean isAllThatIsTold(Throwable cause) {
        return false;
    }

    /** Whether something failed although nothing stands in its way, because it has little time and this machine was too slow. */
    default boolean isTooSlow(P process, Throwable cause) {
        return false;
    }

    /** Looks, after the use case was tried, at what is there, and lets it succeed if it has not. */
    void afterwards(Trial<P> trial, P process, boolean done);

    /** A kind of process. */
    interface Kind<P extends RunningService> {
        /**
         * Its processes on the data of a scene.
         *
         * @param disturbed how often this machine was too slow for this run
         */
        Processes<P> on(Scene scene, int disturbed);
    }
}
