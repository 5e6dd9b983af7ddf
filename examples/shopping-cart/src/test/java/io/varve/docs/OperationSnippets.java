package io.varve.docs;

import io.varve.projection.ParkedEntities;
import io.varve.projection.ParkedEntity;
import io.varve.projection.ProjectionProgress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.Done;

/** The code of the guide to operating projections. */
final class OperationSnippets {
    private OperationSnippets() {}

    // projection-operations.md
    static <T> CompletionStage<T> readAfter(
            ProjectionProgress progress, String cart, long sequenceNumber, Supplier<CompletionStage<T>> read) {
        return progress.whenProcessed("popular-items", "ShoppingCart|" + cart, sequenceNumber, Duration.ofSeconds(2))
                .thenCompose(processed -> read.get());
    }
    // end

    // projection-operations.md
    static CompletionStage<Done> retryAll(ParkedEntities parked, String projection) {
        return parked.list(projection).thenCompose(all -> {
            CompletionStage<Done> each = CompletableFuture.completedFuture(Done.getInstance());
            for (ParkedEntity entity : all) {
                each = each.thenCompose(
                        done -> parked.retry(projection, entity.persistenceId(), entity.sequenceNumber()));
            }
            return each;
        });
    }
    // end
}
