package io.varve.projection.internal.reached;

import java.util.concurrent.CompletionStage;

/** Knows which event of an entity a projection has processed last, wherever it runs. */
@FunctionalInterface
public interface ReachedNumbers {

    /** The number of that event, as it is stored; 0 if there is none. */
    CompletionStage<Long> of(String persistenceId);
}
