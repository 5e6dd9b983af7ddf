package io.varve.projection.internal.delivery;

import io.varve.projection.internal.progress.InFlight;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.stream.javadsl.Source;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * As {@link ExactlyOnce}, but all events that wait to be stored are in one transaction. The handler gets an event when all before
 * it of its entity are stored.
 */
final class GroupCommitted<E> extends HandlerDeliveryMode<E, E, Collection<TransactWriteItem>> {
    private static final int MOST_EVENTS_UNDER_WAY = 10_000;

    private final ProjectionId projection;
    private final int parallelism;
    private final int groupSize;

    GroupCommitted(
            UserHandler<E, Collection<TransactWriteItem>> handler,
            ProjectionId projection,
            int parallelism,
            int groupSize) {
        super(handler);
        this.projection = projection;
        this.parallelism = parallelism;
        this.groupSize = groupSize;
    }

    @Override
    public boolean isExactlyOnce() {
        return true;
    }

    @Override
    public Source<Done, NotUsed> process(Source<InFlight<E>, NotUsed> admitted, Delivery<E> delivery) {
        EntityLanes lanes = new EntityLanes();
        HandlerTurns turns = new HandlerTurns(parallelism);
        GroupCommit<E> commits = new GroupCommit<>(projection, groupSize, parallelism, delivery::store);
        return admitted.mapAsyncUnordered(
                eventsUnderWay(),
                event -> lanes.run(
                        event.position().persistenceId(),
                        () -> turns.next().thenCompose(turn -> process(event, turn, commits, delivery))));
    }

    /** As many as are in transactions, and a group for the next one. */
    private int eventsUnderWay() {
        return Math.min(MOST_EVENTS_UNDER_WAY, groupSize * (parallelism + 1));
    }

    /** An attempt begins with its turn, so that after a stop none does. */
    private CompletionStage<Done> process(
            InFlight<E> event, HandlerTurns.Turn first, GroupCommit<E> commits, Delivery<E> delivery) {
        List<InFlight<E>> one = List.of(event);
        return delivery.attempt(
                        one,
                        () -> first.orNext()
                                .thenCompose(turn -> ExactlyOnce.changes(handler(), event)
                                        .whenComplete((changes, thrown) -> turn.over()))
                                .thenCompose(changes -> commits.store(event, changes)),
                        () -> delivery.storeSkipped(one).thenApply(stored -> Done.getInstance()))
                .whenComplete((done, thrown) -> first.over());
    }
}
