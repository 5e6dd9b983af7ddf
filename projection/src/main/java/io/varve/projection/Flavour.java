package io.varve.projection;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;

/** How an incarnation processes envelopes, and when it stores their progress. */
interface Flavour<E> {

    /** Processes what was let in. */
    Source<Done, NotUsed> process(Source<Passing<E>, NotUsed> admitted, Incarnation<E> incarnation);

    /** Starts the handler. */
    default CompletionStage<Done> start() {
        return CompletableFuture.completedFuture(Done.getInstance());
    }

    /** Stops the handler. */
    default CompletionStage<Done> stop() {
        return CompletableFuture.completedFuture(Done.getInstance());
    }
}
