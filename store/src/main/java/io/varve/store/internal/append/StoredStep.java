package io.varve.store.internal.append;

import io.varve.store.internal.layout.LastWritten;
import java.util.concurrent.CompletionStage;

/** Hears of each step of a write when it is stored. */
@FunctionalInterface
public interface StoredStep {
    /**
     * The entity's head has moved.
     *
     * @return fails if the step must not be acknowledged; the next one waits for it
     */
    CompletionStage<Void> stored(LastWritten before, LastWritten end);
}
