package io.varve.projection;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Exactly once, although two instances do the same work, or entities begin anew. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class UnusualEndToEndTest {
    private static final int ENTITIES = 40;

    @Test
    void eachEventIsStoredOnce_whereTwoInstancesRunTheSamePart() {
        try (ProjectionCluster cluster = new ProjectionCluster(5, ENTITIES, "")) {
            NumberHandlers single = cluster.handlers("single", 0.005);
            NumberHandlers grouped = cluster.handlers("grouped", 0.01);
            cluster.makeTrouble();
            List<List<ActorRef<ProjectionBehavior.Command>>> running = new ArrayList<>();
            for (ClusterNode node : cluster.nodes()) {
                running.add(List.of(
                        start(node, "single", ProjectionCluster.storing(single, HandlerRecoveryStrategy.fail())),
                        start(
                                node,
                                "grouped",
                                ProjectionCluster.storingGroups(grouped, HandlerRecoveryStrategy.fail()))));
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
            cluster.run("single", ProjectionCluster.storing(single, HandlerRecoveryStrategy.fail()));
            NumberHandlers grouped = cluster.handlers("grouped", 0.03);
            cluster.run("grouped", ProjectionCluster.storingGroups(grouped, HandlerRecoveryStrategy.fail()));
            cluster.makeTrouble();
            cluster.scale(2);
            for (int life = 0; life < 3; life++) {
                if (life > 0) {
                    cluster.removeSome(life);
                }
                cluster.write(life).join();
                cluster.checker().awaitExactlyOnce(single);
                cluster.checker().awaitExactlyOnce(grouped);
            }
        }
    }
}
