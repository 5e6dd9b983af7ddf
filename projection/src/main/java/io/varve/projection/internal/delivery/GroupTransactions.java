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

        /** The parts of events that could not be stored together, to be stored one after another; none if they have failed. */
        default List<List<InFlight<E>>> divided(List<InFlight<E>> events, Throwable cause) {
            return events.size() > 1 && cause instanceof TransactionRefusedException ? halves(events) : List.of();
        }

        /** Events that are not divided any more cannot be stored; a failure is one of the whole group. */
        default CompletionStage<Done> failed(List<InFlight<E>> events, Throwable cause) {
            return CompletableFuture.failedFuture(cause);
        }
    }

    static <T> List<List<T>> halves(List<T> whole) {
        int half = whole.size() / 2;
        return List.of(whole.subList(0, half), whole.subList(half, whole.size()));
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
                        thrown == null ? storeAll(open, storing) : divide(open, storing, Causes.unwrap(thrown)))
                .thenCompose(next -> next);
    }

    private CompletionStage<Done> divide(List<InFlight<E>> group, Storing<E> storing, Throwable cause) {
        List<List<InFlight<E>>> parts = storing.divided(group, cause);
        if (parts.isEmpty()) {
            return storing.failed(group, cause);
        }
        if (cause instanceof TransactionRefusedException && !warned.getAndSet(true)) {
            LOG.warn(
                    "{}: groups are halved, because DynamoDB does not take them as one transaction. This is logged once for each"
                            + " start: {}",
                    projection.id(),
                    cause.getMessage());
        }
        CompletionStage<Done> all = CompletableFuture.completedFuture(Done.getInstance());
        for (List<InFlight<E>> part : parts) {
            all = all.thenCompose(done -> storeAll(part, storing));
        }
        return all;
    }
}
