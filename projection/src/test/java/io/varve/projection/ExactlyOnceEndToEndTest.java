package io.varve.projection;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.junit.jupiter.api.Test;

/** Exactly once, whatever fails, and wherever the parts of the projections run. */
class ExactlyOnceEndToEndTest {
    private static final int ENTITIES = 100;

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

    @Test
    void eachEventIsStoredOnce_whereTwoInstancesRunTheSamePart() {
        try (ProjectionCluster cluster = new ProjectionCluster(5, ENTITIES, "")) {
            NumberHandlers single = cluster.handlers("single", 0.005);
            NumberHandlers grouped = cluster.handlers("grouped", 0.01);
            cluster.makeTrouble();
            List<List<ActorRef<ProjectionBehavior.Command>>> running = new ArrayList<>();
            for (ClusterNode node : cluster.nodes()) {
                running.add(List.of(
                        start(node, "single", single(single, HandlerRecoveryStrategy.fail())),
                        start(node, "grouped", grouped(grouped, HandlerRecoveryStrategy.fail()))));
            }
            cluster.write(0).join();
            cluster.checker().awaitExactlyOnce(single);
            cluster.checker().awaitExactlyOnce(grouped);

            CompletableFuture<Void> writing = cluster.write(1);
            running.get(0).get(0).tell(ProjectionBehavior.stopMessage());
            running.get(1).get(1).tell(ProjectionBehavior.stopMessage());
            writing.join();
            cluster.checker().awaitExactlyOnce(single);
            cluster.checker().awaitExactlyOnce(grouped);
        }
    }

    private static ActorRef<ProjectionBehavior.Command> start(
            ClusterNode node, String name, ProjectionCluster.Maker maker) {
        return node.spawn(
                ProjectionBehavior.create(maker.make(node.system(), ProjectionId.of(name, "0-1023"), 0, 1023)));
    }

    @Test
    void entitiesThatBeginAnew_areStoredOnceInEachLife() {
        try (ProjectionCluster cluster = new ProjectionCluster(
                6, ENTITIES, "pekko.projection.dynamodb.offset-store.accept-sequence-number-reset-after = 10 s")) {
            NumberHandlers single = cluster.handlers("single", 0.01);
            cluster.run("single", single(single, HandlerRecoveryStrategy.fail()));
            NumberHandlers grouped = cluster.handlers("grouped", 0.03);
            cluster.run("grouped", grouped(grouped, HandlerRecoveryStrategy.fail()));
            cluster.makeTrouble();
            cluster.scale(2);
            for (int life = 0; life < 3; life++) {
                cluster.write(life).join();
                cluster.checker().awaitExactlyOnce(single);
                cluster.checker().awaitExactlyOnce(grouped);
                cluster.removeSome(life);
            }
        }
    }

    private static ProjectionCluster.Maker single(NumberHandlers handlers, HandlerRecoveryStrategy recovery) {
        return (system, id, min, max) -> DynamoDBProjection.exactlyOnce(
                        id, Optional.empty(), events(system, min, max), handlers::storing, system)
                .withRecoveryStrategy(recovery);
    }

    private static ProjectionCluster.Maker grouped(NumberHandlers handlers, HandlerRecoveryStrategy recovery) {
        return (system, id, min, max) -> DynamoDBProjection.exactlyOnceGroupedWithin(
                        id, Optional.empty(), events(system, min, max), handlers::storingGroups, system)
                .withRecoveryStrategy(recovery);
    }

    private static SourceProvider<Offset, EventEnvelope<String>> events(ActorSystem<?> system, int min, int max) {
        return DynamoDBSourceProvider.eventsBySlices(system, ProjectionCluster.ENTITY_TYPE, min, max);
    }
}
