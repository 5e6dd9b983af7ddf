package io.varve.projection;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;

/** One event after another; the progress is stored afterwards, for several at once. */
final class AtLeastOnce<E> extends HandlerFlavour<E, E, Done> {

    AtLeastOnce(UserHandler<E, Done> handler) {
        super(handler);
    }

    @Override
    public Source<Done, NotUsed> process(Source<Passing<E>, NotUsed> admitted, Incarnation<E> incarnation) {
        Source<Passing<E>, NotUsed> processed = admitted.mapAsync(1, passing -> process(passing, incarnation));
        return incarnation.saveAfterwards(processed);
    }

    private CompletionStage<Passing<E>> process(Passing<E> passing, Incarnation<E> incarnation) {
        return incarnation
                .recovering(
                        List.of(passing),
                        () -> handle(passing).thenApply(done -> incarnation.processed(passing)),
                        incarnation::skipped)
                .thenApply(done -> passing);
    }

    private CompletionStage<Done> handle(Passing<E> passing) {
        CompletionStage<Done> all = CompletableFuture.completedFuture(Done.getInstance());
        for (E envelope : passing.envelopes()) {
            all = all.thenCompose(
                    done -> handler().process(envelope, passing.position().toString()));
        }
        return all;
    }
}
