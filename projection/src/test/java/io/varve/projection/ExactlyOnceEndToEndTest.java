package io.varve.projection;

import java.time.Duration;
import java.util.Optional;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.junit.jupiter.api.Test;

/** Exactly once, whatever fails, and wherever the parts of the projections run. */
class ExactlyOnceEndToEndTest {
    private static final int ENTITIES = 120;

    @Test
    void eachEventIsStoredOnce_whereFailuresRestart() {
        run(1, HandlerRecoveryStrategy.fail(), 1);
    }

    @Test
    void eachEventIsStoredOnce_whereFailuresAreRetried_andEntitiesRunInParallel() {
        run(2, HandlerRecoveryStrategy.retryAndFail(2, Duration.ofMillis(20)), 4);
    }

    private static void run(long seed, HandlerRecoveryStrategy recovery, int parallelism) {
        try (ProjectionCluster cluster = new ProjectionCluster(
                seed, ENTITIES, "pekko.projection.dynamodb.exactly-once.parallelism = " + parallelism)) {
            NumberHandlers single = cluster.handlers("single", 0.01);
            cluster.run(
                    "single",
                    (system, id, min, max) -> DynamoDBProjection.exactlyOnce(
                                    id, Optional.empty(), events(system, min, max), single::storing, system)
                            .withRecoveryStrategy(recovery));
            NumberHandlers grouped = cluster.handlers("grouped", 0.03);
            cluster.run(
                    "grouped",
                    (system, id, min, max) -> DynamoDBProjection.exactlyOnceGroupedWithin(
                                    id, Optional.empty(), events(system, min, max), grouped::storingGroups, system)
                            .withRecoveryStrategy(recovery));
            cluster.writeAndReslice();
            cluster.checker().awaitExactlyOnce(single);
            cluster.checker().awaitExactlyOnce(grouped);

            cluster.scale(4);
            cluster.write(3).join();
            cluster.checker().awaitExactlyOnce(single);
            cluster.checker().awaitExactlyOnce(grouped);
        }
    }

    private static SourceProvider<Offset, EventEnvelope<String>> events(ActorSystem<?> system, int min, int max) {
        return DynamoDBSourceProvider.eventsBySlices(system, ProjectionCluster.ENTITY_TYPE, min, max);
    }
}
