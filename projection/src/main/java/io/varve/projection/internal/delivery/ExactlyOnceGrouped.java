package io.varve.projection.internal.delivery;

import io.varve.projection.internal.event.InFlight;
import io.varve.projection.internal.progress.TransactionRefusedException;
import io.varve.projection.internal.stream.ProjectionStream;
import io.varve.store.internal.async.Causes;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * A transaction for each group of envelopes; a group that DynamoDB does not take as one is halved.
 *
 * <p>How large a transaction is, DynamoDB alone knows: the items that an update finds count as well. So it is asked.
 */
public final class ExactlyOnceGrouped<E> extends HandlerDeliveryMode<E, List<E>, Collection<TransactWriteItem>> {

    private static final Logger LOG = LoggerFactory.getLogger(ExactlyOnceGrouped.class);

    private final AtomicBoolean warned = new AtomicBoolean();

    public ExactlyOnceGrouped(UserHandler<List<E>, Collection<TransactWriteItem>> handler) {
        super(handler);
    }

    @Override
    public Source<Done, NotUsed> process(Source<InFlight<E>, NotUsed> admitted, ProjectionStream<E> incarnation) {
        return incarnation
                .grouped(admitted)
                .mapAsync(
                        1,
                        group -> incarnation.recovering(
                                group,
                                () -> store(group, incarnation, this::handle, true),
                                () -> store(
                                        group,
                                        incarnation,
                                        ignored -> CompletableFuture.completedFuture(List.of()),
                                        false)));
    }

    private CompletionStage<Collection<TransactWriteItem>> handle(List<InFlight<E>> group) {
        return handler().process(InFlight.envelopes(group), ProjectionStream.describe(group));
    }

    /** Stores what of a group is not stored yet: a part may be, from an attempt that failed later, or from elsewhere. */
    private CompletionStage<Done> store(
            List<InFlight<E>> group,
            ProjectionStream<E> incarnation,
            Function<List<InFlight<E>>, CompletionStage<Collection<TransactWriteItem>>> changes,
            boolean processed) {
        List<InFlight<E>> open = incarnation.open(group);
        if (open.isEmpty()) {
            return CompletableFuture.completedFuture(Done.getInstance());
        }
        return changes.apply(open)
                .thenCompose(items -> incarnation
                        .store(items, open)
                        .handle((elsewhere, thrown) -> {
                            if (thrown != null) {
                                return halve(open, incarnation, changes, processed, Causes.unwrap(thrown));
                            }
                            List<InFlight<E>> stored = elsewhere.isEmpty() ? open : elsewhere;
                            if (processed) {
                                stored.forEach(incarnation::processed);
                            }
                            incarnation.stored(stored);
                            return store(open, incarnation, changes, processed);
                        })
                        .thenCompose(next -> next));
    }

    private CompletionStage<Done> halve(
            List<InFlight<E>> group,
            ProjectionStream<E> incarnation,
            Function<List<InFlight<E>>, CompletionStage<Collection<TransactWriteItem>>> changes,
            boolean processed,
            Throwable cause) {
        if (group.size() == 1 || !(cause instanceof TransactionRefusedException)) {
            return CompletableFuture.failedFuture(cause);
        }
        if (!warned.getAndSet(true)) {
            LOG.warn(
                    "{}: groups are halved, because DynamoDB does not take them as one transaction. This is logged once for each"
                            + " start: {}",
                    incarnation.id().id(),
                    cause.getMessage());
        }
        int half = group.size() / 2;
        return store(group.subList(0, half), incarnation, changes, processed)
                .thenCompose(done -> store(group.subList(half, group.size()), incarnation, changes, processed));
    }
}
