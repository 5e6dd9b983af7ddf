package io.varve.projection;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;

/** One envelope after another; the progress is stored afterwards, for several at once. */
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
                        () -> handler()
                                .process(passing.envelope(), passing.position().toString())
                                .thenApply(done -> incarnation.processed(passing)),
                        incarnation::skipped)
                .thenApply(done -> passing);
    }
}
