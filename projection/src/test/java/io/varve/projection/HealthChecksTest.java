package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.persistence.DynamoDBClients;
import io.varve.persistence.DynamoDBHealthCheck;
import io.varve.projection.javadsl.StoredProjection;
import io.varve.store.VarveException;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.ThrottleCode;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.apache.pekko.projection.ProjectionId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When health checks fail, and when they do no longer: 30 seconds and 2 minutes, by default. */
class HealthChecksTest {
    private static final ProjectionId CARTS = ProjectionId.of("carts", "0-511");
    private static final ProjectionId ORDERS = ProjectionId.of("orders", "0-511");
    private final RuntimeException cause = new IllegalStateException("down");

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
    private FaultProxy proxy;
    private TestSystem test;

    @BeforeEach
    void start() {
        proxy = FaultProxy.start(DynamoDBLocal.shared().endpoint());
        test = new TestSystem(proxy.endpoint(), "");
        DynamoDBClients.get(test.system()).useClock(now::get);
    }

    @AfterEach
    void stop() {
        test.close();
        proxy.close();
    }

    private void after(Duration time) {
        now.updateAndGet(instant -> instant.plus(time));
    }

    private static boolean isHealthy(Supplier<CompletionStage<Boolean>> check) {
        return check.get().toCompletableFuture().join();
    }

    private void request() {
        TestBench.await(StoredProjection.of(test.system(), "any", "any").lag(1));
    }

    private void failingRequest() {
        assertThatThrownBy(this::request).isInstanceOf(VarveException.class);
    }

    @Test
    void dynamoDB_isUnhealthyWhenAllRequestsFailForLong_andHealthyWithTheFirstThatIsAnswered() {
        DynamoDBHealthCheck check = new DynamoDBHealthCheck(test.system().classicSystem());
        assertThat(isHealthy(check)).as("nothing was asked yet").isTrue();
        request();
        proxy.on(RequestMatch.any(), Fault.error(400, "ResourceNotFoundException", "a test"));
        failingRequest();
        after(Duration.ofSeconds(29));
        failingRequest();
        assertThat(isHealthy(check)).as("29 s").isTrue();
        after(Duration.ofSeconds(1));
        failingRequest();
        proxy.requests().clear();
        try (WarningsOf quiet = new WarningsOf(DynamoDBHealthCheck.class)) {
            assertThat(isHealthy(check)).as("30 s").isFalse();
        }
        assertThat(proxy.requests().operations()).as("a check sends nothing").isEmpty();
        proxy.clear();
        proxy.on(RequestMatch.any().times(1), Fault.throttle(ThrottleCode.PROVISIONED_THROUGHPUT_EXCEEDED));
        request();
        assertThat(isHealthy(check)).isTrue();
    }

    @Test
    void dynamoDB_isHealthyAgain_whenNothingWasAskedForLong() {
        DynamoDBHealthCheck check = new DynamoDBHealthCheck(test.system().classicSystem());
        proxy.on(RequestMatch.any(), Fault.error(400, "ResourceNotFoundException", "a test"));
        failingRequest();
        after(Duration.ofSeconds(40));
        failingRequest();
        try (WarningsOf quiet = new WarningsOf(DynamoDBHealthCheck.class)) {
            assertThat(isHealthy(check)).isFalse();
            after(Duration.ofMinutes(2));
            assertThat(isHealthy(check)).isFalse();
            after(Duration.ofMillis(1));
            assertThat(isHealthy(check)).isTrue();
            failingRequest();
            assertThat(isHealthy(check)).as("what was forgotten does not count").isTrue();
        }
    }

    @Test
    void projections_areUnhealthyWhenOneOnlyFailsOrWaitsForLong_untilItProcesses() {
        ProjectionHealthCheck check = new ProjectionHealthCheck(test.system().classicSystem());
        ProgressObservers told = ProgressObservers.get(test.system());
        told.outage(CARTS, cause, Duration.ZERO);
        after(Duration.ofSeconds(20));
        told.failed(CARTS, cause);
        told.stopped(CARTS);
        told.processed(ORDERS, 1);
        after(Duration.ofSeconds(10));
        assertThat(isHealthy(check)).isTrue();
        told.outage(CARTS, cause, Duration.ZERO);
        try (WarningsOf warnings = new WarningsOf(ProjectionHealthCheck.class)) {
            assertThat(isHealthy(check)).isFalse();
            assertThat(isHealthy(check)).isFalse();
            assertThat(warnings.messages()).singleElement().asString().contains("carts, 0-511");
        }
        told.processed(CARTS, 1);
        assertThat(isHealthy(check)).isTrue();
    }

    @Test
    void projectionThatWasStopped_isNoLongerThisNodesTrouble() {
        ProjectionHealthCheck check = new ProjectionHealthCheck(test.system().classicSystem());
        ProgressObservers told = ProgressObservers.get(test.system());
        told.outage(CARTS, cause, Duration.ZERO);
        after(Duration.ofSeconds(31));
        told.outage(CARTS, cause, Duration.ofSeconds(31));
        try (WarningsOf quiet = new WarningsOf(ProjectionHealthCheck.class)) {
            assertThat(isHealthy(check)).isFalse();
        }
        told.stopped(CARTS);
        assertThat(isHealthy(check)).isTrue();
    }
}
