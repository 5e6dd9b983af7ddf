package io.varve.projection.internal.delivery;

import io.varve.projection.internal.progress.InFlight;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** A transaction for each event; entities can run in parallel, the events of one never do. */
final class ExactlyOnce<E> extends HandlerDeliveryMode<E, E, Collection<TransactWriteItem>> {
    private final int parallelism;

    ExactlyOnce(UserHandler<E, Collection<TransactWriteItem>> handler, int parallelism) {
        super(handler);
        this.parallelism = parallelism;
    }

    @Override
    public Source<Done, NotUsed> process(Source<InFlight<E>, NotUsed> admitted, Delivery<E> delivery) {
        EntityLanes lanes = new EntityLanes();
        return admitted.mapAsync(
                parallelism, event -> lanes.run(event.position().persistenceId(), () -> process(event, delivery)));
    }

    @Override
    public boolean isExactlyOnce() {
        return true;
    }

    private CompletionStage<Done> process(InFlight<E> event, Delivery<E> delivery) {
        List<InFlight<E>> one = List.of(event);
        return delivery.attempt(
                one,
                () -> changes(handler(), event)
                        .thenCompose(items -> delivery.store(one, items))
                        .thenApply(stored -> Done.getInstance()),
                () -> delivery.storeSkipped(one).thenApply(stored -> Done.getInstance()));
    }

    /** What a handler makes of all envelopes of an event. */
    static <E> CompletionStage<Collection<TransactWriteItem>> changes(
            UserHandler<E, Collection<TransactWriteItem>> handler, InFlight<E> event) {
        CompletionStage<Collection<TransactWriteItem>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (E envelope : event.envelopes()) {
            all = all.thenCompose(
                    items -> handler.process(envelope, event.position().toString())
                            .thenApply(more -> {
                                items.addAll(more);
                                return items;
                            }));
        }
        return all;
    }
}
