package io.varve.projection.internal.delivery;

import io.varve.projection.internal.event.InFlight;
import io.varve.projection.internal.stream.ProjectionStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;

/** One event after another; the progress is stored afterwards, for several at once. */
public final class AtLeastOnce<E> extends HandlerDeliveryMode<E, E, Done> {

    public AtLeastOnce(UserHandler<E, Done> handler) {
        super(handler);
    }

    @Override
    public Source<Done, NotUsed> process(Source<InFlight<E>, NotUsed> admitted, ProjectionStream<E> incarnation) {
        Source<InFlight<E>, NotUsed> processed = admitted.mapAsync(1, passing -> process(passing, incarnation));
        return incarnation.saveAfterwards(processed);
    }

    private CompletionStage<InFlight<E>> process(InFlight<E> passing, ProjectionStream<E> incarnation) {
        return incarnation
                .recovering(
                        List.of(passing),
                        () -> handle(passing).thenApply(done -> incarnation.processed(passing)),
                        incarnation::skipped)
                .thenApply(done -> passing);
    }

    private CompletionStage<Done> handle(InFlight<E> passing) {
        CompletionStage<Done> all = CompletableFuture.completedFuture(Done.getInstance());
        for (E envelope : passing.envelopes()) {
            all = all.thenCompose(
                    done -> handler().process(envelope, passing.position().toString()));
        }
        return all;
    }
}
