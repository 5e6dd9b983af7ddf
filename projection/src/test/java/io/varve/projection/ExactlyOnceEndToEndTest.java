package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.varve.projection.internal.retry.OutageRetries;
import io.varve.store.ThrottledException;
import io.varve.testkit.FaultRule;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.ProjectionId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Exactly once, whatever fails, and wherever the parts of the projections run. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ExactlyOnceEndToEndTest {
    private static final int ENTITIES = 50;

    @Test
    void eachEventIsStoredOnce_whereFailuresRestart() {
        run(1, HandlerRecoveryStrategy.fail(), 1);
    }

    @Test
    void eachEventIsStoredOnce_whereFailuresAreRetried_andEntitiesRunInParallel() {
        run(2, HandlerRecoveryStrategy.retryAndFail(2, Duration.ofMillis(20)), 4);
    }

    /** The handlers never fail, so that there is nothing to skip. */
    @Test
    void nothingIsSkipped_whereTheTableOfTheHandlersIsThrottledForLong() {
        String impatient = """
                impatient = ${pekko.persistence.dynamodb.client}
                impatient { operation-timeout = 2 s, request-timeout = 1 s }
                pekko.projection.dynamodb { use-client = impatient, exactly-once.parallelism = 2 }
                """;
        AtomicInteger outages = new AtomicInteger();
        try (ProjectionCluster cluster = new ProjectionCluster(4, ENTITIES, impatient);
                WarningsOf warnings = new WarningsOf(OutageRetries.class)) {
            cluster.nodes().forEach(node -> ProgressObservers.get(node.system()).add(counting(outages)));
            HandlerRecoveryStrategy skip = HandlerRecoveryStrategy.skip();
            NumberHandlers single = cluster.handlers("single", 0);
            cluster.run("single", ProjectionCluster.storing(single, skip));
            NumberHandlers grouped = cluster.handlers("grouped", 0);
            cluster.run("grouped", ProjectionCluster.storingGroups(grouped, skip));
            FaultRule throttled = cluster.throttleHandlers();
            cluster.makeTrouble();
            cluster.scale(2);
            cluster.write(0).join();
            await().atMost(ClusterNode.PATIENCE)
                    .untilAsserted(() -> assertThat(outages).hasValueGreaterThan(10));
            cluster.scale(4);
            cluster.write(1).join();
            int before = outages.get();
            await().atMost(ClusterNode.PATIENCE)
                    .untilAsserted(() -> assertThat(outages).hasValueGreaterThan(before + 10));
            throttled.remove();
            cluster.scale(8);
            cluster.write(2).join();
            cluster.checker().awaitExactlyOnce(single);
            cluster.checker().awaitExactlyOnce(grouped);
            assertThat(warnings.messages()).anyMatch(message -> message.contains("nothing is skipped"));
        }
    }

    /** Counts those by throttling: on a busy machine a request may also have no answer in time. */
    private static ProgressObserver counting(AtomicInteger outages) {
        return new ProgressObserver() {
            @Override
            public void stored(ProjectionId projection, int slice, Instant seen, Instant stored) {}

            @Override
            public void outage(ProjectionId projection, Throwable cause, Duration lasting) {
                if (cause instanceof ThrottledException) {
                    outages.incrementAndGet();
                }
            }
        };
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
