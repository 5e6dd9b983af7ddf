package io.varve.projection.internal.delivery;

import io.varve.projection.internal.event.InFlight;
import io.varve.projection.internal.stream.ProjectionStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;

/** How an incarnation processes envelopes, and when it stores their progress. */
public interface DeliveryMode<E> {

    /** Processes what was let in. */
    Source<Done, NotUsed> process(Source<InFlight<E>, NotUsed> admitted, ProjectionStream<E> incarnation);

    /** Starts the handler. */
    default CompletionStage<Done> start() {
        return CompletableFuture.completedFuture(Done.getInstance());
    }

    /** Stops the handler. */
    default CompletionStage<Done> stop() {
        return CompletableFuture.completedFuture(Done.getInstance());
    }
}
