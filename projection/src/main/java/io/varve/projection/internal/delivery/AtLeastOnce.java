package io.varve.projection.internal.delivery;

import io.varve.projection.internal.progress.InFlight;
import io.varve.projection.internal.settings.ProjectionOptions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;

/** One event after another; the progress is stored afterwards, for several at once. */
final class AtLeastOnce<E> extends HandlerDeliveryMode<E, E, Done> {
    private final ProjectionOptions<?> options;

    AtLeastOnce(UserHandler<E, Done> handler, ProjectionOptions<?> options) {
        super(handler);
        this.options = options;
    }

    @Override
    public Source<Done, NotUsed> process(Source<InFlight<E>, NotUsed> admitted, Delivery<E> delivery) {
        return SavedAfterwards.save(admitted.mapAsync(1, event -> process(event, delivery)), delivery, options);
    }

    private CompletionStage<InFlight<E>> process(InFlight<E> event, Delivery<E> delivery) {
        return delivery.attempt(
                        List.of(event),
                        () -> handle(event).thenApply(done -> {
                            delivery.processed(event);
                            return done;
                        }),
                        () -> CompletableFuture.completedFuture(Done.getInstance()))
                .thenApply(done -> event);
    }

    private CompletionStage<Done> handle(InFlight<E> event) {
        CompletionStage<Done> all = CompletableFuture.completedFuture(Done.getInstance());
        for (E envelope : event.envelopes()) {
            all = all.thenCompose(
                    done -> handler().process(envelope, event.position().toString()));
        }
        return all;
    }
}
