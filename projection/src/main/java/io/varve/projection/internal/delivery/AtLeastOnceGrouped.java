package io.varve.projection.internal.delivery;

import io.varve.projection.internal.progress.InFlight;
import io.varve.projection.internal.settings.ProjectionOptions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;

/** Groups of envelopes; the progress of a group is stored afterwards. */
final class AtLeastOnceGrouped<E> extends HandlerDeliveryMode<E, List<E>, Done> {
    private final ProjectionOptions<?> options;

    AtLeastOnceGrouped(UserHandler<List<E>, Done> handler, ProjectionOptions<?> options) {
        super(handler);
        this.options = options;
    }

    @Override
    public Source<Done, NotUsed> process(Source<InFlight<E>, NotUsed> admitted, Delivery<E> delivery) {
        return admitted.via(GroupedWithin.of(options.groupSize(), options.groupDuration()))
                .mapAsync(1, group -> delivery.save(group, () -> process(group, delivery)));
    }

    private CompletionStage<Done> process(List<InFlight<E>> group, Delivery<E> delivery) {
        return delivery.attemptGroup(
                group,
                events -> handler()
                        .process(InFlight.envelopes(events), InFlight.describe(events))
                        .thenApply(done -> {
                            events.forEach(delivery::processed);
                            return done;
                        }),
                skipped -> CompletableFuture.completedFuture(Done.getInstance()));
    }
}
