package io.varve.projection;

import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.projection.javadsl.DynamoDBProjection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.eventsourced.javadsl.EventSourcedProvider;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** At least once, and in order, whatever fails, and wherever the parts of the projections run. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class AtLeastOnceEndToEndTest {
    private static final int ENTITIES = 50;

    @Test
    void eachEventIsProcessed_firstInOrder() {
        HandlerRecoveryStrategy retrying = HandlerRecoveryStrategy.retryAndFail(2, Duration.ofMillis(20));
        try (ProjectionCluster cluster = new ProjectionCluster(3, ENTITIES, "")) {
            NumberHandlers single = cluster.handlers("single", 0.01);
            cluster.run(
                    "single",
                    (system, id, min, max) -> DynamoDBProjection.atLeastOnce(
                                    id, Optional.empty(), eventsOfPekko(system, min, max), single::noting, system)
                            .withSaveOffset(20, Duration.ofMillis(100))
                            .withRecoveryStrategy(HandlerRecoveryStrategy.fail()));
            NumberHandlers grouped = cluster.handlers("grouped", 0.03);
            cluster.run(
                    "grouped",
                    (system, id, min, max) -> DynamoDBProjection.atLeastOnceGroupedWithin(
                                    id,
                                    Optional.empty(),
                                    ProjectionCluster.events(system, min, max),
                                    grouped::notingGroups,
                                    system)
                            .withRecoveryStrategy(retrying));
            NumberHandlers flow = cluster.handlers("flow", 0.01);
            cluster.run(
                    "flow",
                    (system, id, min, max) -> DynamoDBProjection.atLeastOnceFlow(
                            id, Optional.empty(), ProjectionCluster.events(system, min, max), flow.flow(), system));
            cluster.writeAndReslice();
            cluster.checker().awaitAtLeastOnce(single);
            cluster.checker().awaitAtLeastOnce(grouped);
            cluster.checker().awaitAtLeastOnce(flow);
        }
    }

    private static SourceProvider<Offset, EventEnvelope<String>> eventsOfPekko(
            ActorSystem<?> system, int min, int max) {
        return EventSourcedProvider.eventsBySlices(
                system, DynamoDBReadJournal.Identifier(), ProjectionCluster.ENTITY_TYPE, min, max);
    }
}
