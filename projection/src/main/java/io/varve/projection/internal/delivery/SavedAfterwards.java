package io.varve.projection.internal.delivery;

import io.varve.projection.internal.pekko.Abort;
import io.varve.projection.internal.progress.InFlight;
import io.varve.projection.internal.settings.ProjectionOptions;
import io.varve.store.internal.async.Causes;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;

/** Stores the progress of events after they were processed, for several at once; also of the last ones before a stop. */
final class SavedAfterwards {
    private SavedAfterwards() {}

    static <E> Source<Done, NotUsed> save(
            Source<InFlight<E>, NotUsed> processed, Delivery<E> delivery, ProjectionOptions<?> options) {
        return processed
                .mapError(CompletionException.class, Causes::unwrap)
                .recoverWithRetries(1, Abort.TYPE, Source::empty)
                .via(GroupedWithin.of(options.saveSize(), options.saveDuration()))
                .mapAsync(
                        1,
                        events -> delivery.save(events, () -> CompletableFuture.completedFuture(Done.getInstance())));
    }
}
