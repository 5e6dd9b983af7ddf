package io.varve.projection.internal.delivery;

import io.varve.projection.internal.event.InFlight;
import io.varve.projection.internal.stream.ProjectionStream;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;

/** Groups of envelopes; the progress of a group is stored afterwards. */
public final class AtLeastOnceGrouped<E> extends HandlerDeliveryMode<E, List<E>, Done> {

    public AtLeastOnceGrouped(UserHandler<List<E>, Done> handler) {
        super(handler);
    }

    @Override
    public Source<Done, NotUsed> process(Source<InFlight<E>, NotUsed> admitted, ProjectionStream<E> incarnation) {
        return incarnation
                .grouped(admitted)
                .mapAsync(
                        1,
                        group -> incarnation.saving(
                                () -> process(group, incarnation).thenCompose(done -> incarnation.save(group))));
    }

    private CompletionStage<Done> process(List<InFlight<E>> group, ProjectionStream<E> incarnation) {
        List<E> envelopes = InFlight.envelopes(group);
        return incarnation.recovering(
                group,
                () -> handler()
                        .process(envelopes, ProjectionStream.describe(group))
                        .thenApply(done -> {
                            group.forEach(incarnation::processed);
                            return done;
                        }),
                incarnation::skipped);
    }
}
