package io.varve.projection;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Exactly once, whatever fails, and wherever the parts of the projections run. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
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
            cluster.run("single", ProjectionCluster.storing(single, recovery));
            NumberHandlers grouped = cluster.handlers("grouped", 0.03);
            cluster.run("grouped", ProjectionCluster.storingGroups(grouped, recovery));
            cluster.writeAndReslice();
            cluster.checker().awaitExactlyOnce(single);
            cluster.checker().awaitExactlyOnce(grouped);

            cluster.scale(4);
            cluster.write(3).join();
            cluster.checker().awaitExactlyOnce(single);
            cluster.checker().awaitExactlyOnce(grouped);
        }
    }
}
