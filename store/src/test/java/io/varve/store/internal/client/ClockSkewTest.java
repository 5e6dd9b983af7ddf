package io.varve.store.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.varve.store.StoreObserver;
import io.varve.store.internal.async.Backoff;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.DescribeTableRequest;

@DynamoDBTest
class ClockSkewTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(ClockSkew.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

    @BeforeEach
    void listen() {
        logged.start();
        logger.addAppender(logged);
        logger.setLevel(Level.WARN);
        logger.setAdditive(false);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(logged);
        logger.setAdditive(true);
    }

    private void askOnce(FaultProxy proxy, Optional<Duration> tolerance, InstantSource clock) {
        GatewaySettings settings = new GatewaySettings(
                Duration.ofSeconds(30),
                Duration.ofSeconds(30),
                new Backoff(Duration.ofMillis(1), Duration.ofMillis(50), 0.5),
                1,
                tolerance);
        try (DynamoDbAsyncClient client = proxy.client()) {
            Gateway gateway = new Gateway(client, settings, StoreObserver.NONE, Runnable::run, clock);
            proxy.on(RequestMatch.operation("DescribeTable"), Fault.respond("{\"Table\":{\"TableName\":\"t\"}}"));
            gateway.call(
                            Call.DESCRIBE_TABLE,
                            DescribeTableRequest.builder().tableName("ttt").build(),
                            gateway.budget())
                    .toCompletableFuture()
                    .join();
        }
    }

    @Test
    void clientThatDoesNotSpeakHttp_isNotAskedForTheTime() {
        new ClockSkew(Optional.of(Duration.ofSeconds(2)), Instant::now).check(null, Duration.ZERO);
        assertThat(logged.list).isEmpty();
    }

    @Test
    void clockAheadBeyondTheTolerance_isWarnedOf(FaultProxy proxy) {
        askOnce(proxy, Optional.of(Duration.ofSeconds(2)), () -> Instant.now().plusSeconds(60));
        assertThat(logged.list)
                .singleElement()
                .satisfies(event -> assertThat(event.getFormattedMessage())
                        .contains("ahead of DynamoDB's")
                        .contains("clock-skew-tolerance"));
    }

    @Test
    void clockBehindBeyondTheTolerance_isWarnedOf(FaultProxy proxy) {
        askOnce(proxy, Optional.of(Duration.ofSeconds(2)), () -> Instant.now().minusSeconds(60));
        assertThat(logged.list)
                .singleElement()
                .satisfies(event -> assertThat(event.getFormattedMessage()).contains("behind DynamoDB's"));
    }

    @Test
    void answerThatThisMachineHasLetWait_isNotTakenForAWrongClock() {
        SdkHttpResponse answer = SdkHttpResponse.builder()
                .putHeader("Date", "Thu, 01 Jan 2026 00:00:00 GMT")
                .build();
        InstantSource clock = () -> Instant.parse("2026-01-01T00:00:09Z");
        ClockSkew skew = new ClockSkew(Optional.of(Duration.ofSeconds(2)), clock);
        skew.check(answer, Duration.ofSeconds(8));
        assertThat(logged.list).isEmpty();
        new ClockSkew(Optional.of(Duration.ofSeconds(2)), clock).check(answer, Duration.ofSeconds(5));
        assertThat(logged.list)
                .singleElement()
                .satisfies(event -> assertThat(event.getFormattedMessage()).contains("is 3.0 s ahead of DynamoDB's"));
    }

    @Test
    void eventOfTheFuture_isWarnedOf_onceInAWhile() {
        Instant now = Instant.parse("2026-01-01T00:00:00Z");
        ClockSkew skew = new ClockSkew(Optional.of(Duration.ofSeconds(2)), InstantSource.system());
        skew.checkEvent("cart|1", now.plusSeconds(2), now);
        skew.checkEvent("cart|1", now.minusSeconds(60), now);
        assertThat(logged.list).isEmpty();
        skew.checkEvent("cart|1", now.plusSeconds(60), now);
        skew.checkEvent("cart|2", now.plusSeconds(60), now);
        new ClockSkew(Optional.empty(), InstantSource.system()).checkEvent("cart|1", now.plusSeconds(60), now);
        assertThat(logged.list)
                .singleElement()
                .satisfies(event -> assertThat(event.getFormattedMessage())
                        .startsWith("The newest event of 'cart|1' is 60.0 s ahead of this machine's clock")
                        .contains("clock-skew-tolerance (2.0 s)"));
    }

    @Test
    void clockWithinTheTolerance_orCheckSwitchedOff_isSilent(FaultProxy proxy) {
        askOnce(proxy, Optional.of(Duration.ofMinutes(2)), () -> Instant.now().plusSeconds(60));
        askOnce(proxy, Optional.empty(), () -> Instant.now().plusSeconds(60));
        assertThat(logged.list).isEmpty();
    }
}
