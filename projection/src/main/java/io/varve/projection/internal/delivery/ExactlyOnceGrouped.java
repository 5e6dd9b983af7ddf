package io.varve.projection.internal.delivery;

import io.varve.projection.internal.progress.InFlight;
import io.varve.projection.internal.settings.ProjectionOptions;
import java.util.Collection;
import java.util.List;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** A transaction for each group of envelopes. */
final class ExactlyOnceGrouped<E> extends HandlerDeliveryMode<E, List<E>, Collection<TransactWriteItem>> {
    private final ProjectionOptions<?> options;
    private final GroupTransactions<E> transactions;

    ExactlyOnceGrouped(UserHandler<List<E>, Collection<TransactWriteItem>> handler, ProjectionOptions<?> options) {
        super(handler);
        this.options = options;
        this.transactions = new GroupTransactions<>(options.id());
    }

    @Override
    public Source<Done, NotUsed> process(Source<InFlight<E>, NotUsed> admitted, Delivery<E> delivery) {
        GroupTransactions.Storing<E> processing = events -> handler()
                .process(InFlight.envelopes(events), InFlight.describe(events))
                .thenCompose(changes -> delivery.store(events, changes));
        return admitted.via(GroupedWithin.of(options.groupSize(), options.groupDuration()))
                .mapAsync(
                        1,
                        group -> delivery.attemptGroup(
                                group,
                                events -> transactions.storeAll(events, processing),
                                events -> transactions.storeAll(events, delivery::storeSkipped)));
    }

    @Override
    public boolean isExactlyOnce() {
        return true;
    }
}
