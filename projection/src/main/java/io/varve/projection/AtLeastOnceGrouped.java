package io.varve.projection;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;

/** Groups of envelopes; the progress of a group is stored afterwards. */
final class AtLeastOnceGrouped<E> extends HandlerFlavour<E, List<E>, Done> {

    AtLeastOnceGrouped(UserHandler<List<E>, Done> handler) {
        super(handler);
    }

    @Override
    public Source<Done, NotUsed> process(Source<Passing<E>, NotUsed> admitted, Incarnation<E> incarnation) {
        return incarnation
                .grouped(admitted)
                .mapAsync(
                        1,
                        group -> incarnation.saving(
                                () -> process(group, incarnation).thenCompose(done -> incarnation.save(group))));
    }

    private CompletionStage<Done> process(List<Passing<E>> group, Incarnation<E> incarnation) {
        List<E> envelopes = Passing.envelopes(group);
        return incarnation.recovering(
                group,
                () -> handler().process(envelopes, Incarnation.describe(group)).thenApply(done -> {
                    group.forEach(incarnation::processed);
                    return done;
                }),
                incarnation::skipped);
    }
}
