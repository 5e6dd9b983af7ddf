package io.varve.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.ThrottlingException;

/** Faults of the way between client and DynamoDB. */
final class FaultTransportTest extends ProxyFixture {

    FaultTransportTest(DynamoDbAsyncClient direct, FaultProxy proxy, TableNames names) {
        super(direct, proxy, names);
    }

    @Test
    void hang_clientRunsIntoItsOwnTimeout() {
        proxy.on(RequestMatch.any(), Fault.hang());

        failure(
                client.putItem(request -> request.tableName(table)
                        .item(Tables.key("a", 1))
                        .overrideConfiguration(options -> options.apiCallTimeout(Duration.ofMillis(200)))),
                ApiCallTimeoutException.class);

        assertThat(isStored("a", 1)).isFalse();
        assertThat(proxy.requests().requests().get(0).status()).isEqualTo(RecordedRequest.NO_RESPONSE);
    }

    @Test
    void clear_whenARequestHangs_resetsItsConnection() {
        Gate gate = proxy.hold(RequestMatch.any(), Fault.hang());
        CompletableFuture<?> put = put("a", 1);
        gate.awaitArrival();
        gate.release();

        proxy.clear();

        failure(put, SdkClientException.class);
    }

    @Test
    void delay_requestIsForwardedInTheEnd() {
        proxy.on(RequestMatch.any(), Fault.delay(Duration.ofMillis(20)));

        put("a", 1).join();

        assertThat(isStored("a", 1)).isTrue();
    }

    @Test
    void hold_whenTheClientGaveUp_requestStillTakesEffect() {
        CompletableFuture<String> applied = new CompletableFuture<>();
        Gate gate = proxy.hold(RequestMatch.operation("PutItem"), Fault.runAfter(request -> applied.complete("late")));
        failure(
                client.putItem(request -> request.tableName(table)
                        .item(Tables.key("a", 1))
                        .overrideConfiguration(options -> options.apiCallTimeout(Duration.ofMillis(200)))),
                ApiCallTimeoutException.class);

        gate.release();

        assertThat(applied.join()).isEqualTo("late");
        assertThat(isStored("a", 1)).isTrue();
    }

    @Test
    void resetBefore_clientSeesConnectionErrorAndNothingIsStored() {
        proxy.on(RequestMatch.operation("PutItem"), Fault.resetBefore());

        failure(put("a", 1), SdkClientException.class);

        assertThat(isStored("a", 1)).isFalse();
        assertThat(proxy.requests().requests().get(0).capacity()).isEqualTo(Capacity.NONE);
    }

    @Test
    void resetAfter_whenPutSucceeded_clientSeesConnectionErrorButItemIsStored() {
        proxy.on(RequestMatch.operation("PutItem"), Fault.resetAfter());

        failure(put("a", 1), SdkClientException.class);

        assertThat(isStored("a", 1)).isTrue();
        assertThat(proxy.requests().capacity()).isEqualTo(new Capacity(1, 0, 0));
    }

    @Test
    void hold_whenReleasedInAnotherOrder_testDecidesWhichWriteIsLast() {
        Gate first = proxy.hold(RequestMatch.operation("PutItem").times(1));
        CompletableFuture<?> early =
                client.putItem(request -> request.tableName(table).item(Tables.indexed("a", 1, 1)));
        first.awaitArrival();

        client.putItem(request -> request.tableName(table).item(Tables.indexed("a", 1, 2)))
                .join();
        first.release();
        early.join();

        assertThat(direct.getItem(request -> request.tableName(table).key(Tables.key("a", 1)))
                        .join()
                        .item())
                .isEqualTo(Tables.indexed("a", 1, 1));
    }

    @Test
    void hold_whenReleasedBeforeArrival_requestPasses() {
        Gate gate = proxy.hold(RequestMatch.any());
        gate.release();

        put("a", 1).join();

        assertThat(gate.arrivals()).isEqualTo(1);
    }

    @Test
    void clear_whenRequestsAreHeld_letsThemGo() {
        Gate gate = proxy.hold(RequestMatch.any());
        List<CompletableFuture<?>> puts = List.of(put("a", 1), put("a", 2));
        gate.awaitArrivals(2);

        proxy.clear();

        puts.forEach(CompletableFuture::join);
        assertThat(proxy.requests().operations()).containsExactly("PutItem", "PutItem");
    }

    @Test
    void runBeforeAndAfter_runAroundTheForwarding() {
        ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();
        proxy.on(
                RequestMatch.any(),
                Fault.runBefore(request -> seen.add("before " + request + " stored " + isStored("a", 1)))
                        .then(Fault.runAfter(request -> seen.add("after " + request + " stored " + isStored("a", 1)))));

        put("a", 1).join();

        assertThat(seen).containsExactly("before PutItem stored false", "after PutItem stored true");
    }

    @Test
    void then_whenTheFirstFaultLetsGo_secondFaultFollows() {
        proxy.on(RequestMatch.any(), Fault.delay(Duration.ofMillis(1)).then(Fault.throttle(ThrottleCode.THROTTLING)));

        failure(put("a", 1), ThrottlingException.class);
    }

    @Test
    void skewDate_clientSeesAnotherTime() {
        proxy.on(RequestMatch.any(), Fault.skewDate(Duration.ofHours(2)));

        String date = client.listTables()
                .join()
                .sdkHttpResponse()
                .firstMatchingHeader("Date")
                .orElseThrow();

        assertThat(ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME)
                        .toInstant())
                .isAfter(Instant.now().plus(1, ChronoUnit.HOURS));
    }
}
