package io.varve.projection.internal.delivery;

import io.varve.projection.internal.progress.InFlight;
import io.varve.projection.internal.progress.TransactionRefusedException;
import io.varve.store.internal.async.Causes;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.pekko.Done;
import org.apache.pekko.projection.ProjectionId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores groups of events, each in a transaction; a group that DynamoDB does not take as one is halved.
 *
 * <p>How large a transaction is, DynamoDB alone knows: the items that an update finds count as well. So it is asked.
 */
public final class GroupTransactions<E> {
    private static final Logger LOG = LoggerFactory.getLogger(GroupTransactions.class);

    private final ProjectionId projection;
    private final AtomicBoolean warned = new AtomicBoolean();

    public GroupTransactions(ProjectionId projection) {
        this.projection = projection;
    }

    /** Stores events in a transaction; returns those that are stored. */
    public interface Storing<E> {
        CompletionStage<List<InFlight<E>>> store(List<InFlight<E>> events);
    }

    /** Stores what of a group is not stored yet: a part may be, from an attempt that failed later, or from elsewhere. */
    public CompletionStage<Done> storeAll(List<InFlight<E>> group, Storing<E> storing) {
        List<InFlight<E>> open =
                group.stream().filter(event -> !event.isComplete()).toList();
        if (open.isEmpty()) {
            return CompletableFuture.completedFuture(Done.getInstance());
        }
        return storing.store(open)
                .handle((stored, thrown) ->
                        thrown == null ? storeAll(open, storing) : halve(open, storing, Causes.unwrap(thrown)))
                .thenCompose(next -> next);
    }

    private CompletionStage<Done> halve(List<InFlight<E>> group, Storing<E> storing, Throwable cause) {
        if (group.size() == 1 || !(cause instanceof TransactionRefusedException)) {
            return CompletableFuture.failedFuture(cause);
        }
        if (!warned.getAndSet(true)) {
            LOG.warn(
                    "{}: groups are halved, because DynamoDB does not take them as one transaction. This is logged once for each"
                            + " start: {}",
                    projection.id(),
                    cause.getMessage());
        }
        int half = group.size() / 2;
        return storeAll(group.subList(0, half), storing)
                .thenCompose(done -> storeAll(group.subList(half, group.size()), storing));
    }
}
