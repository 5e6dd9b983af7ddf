package io.varve.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;

/** Requests and rules that make no sense: the client hears of it, and so does the log. */
final class BrokenRuleTest extends ProxyFixture {

    private final LogCapture log = new LogCapture();

    BrokenRuleTest(DynamoDbAsyncClient direct, FaultProxy proxy, TableNames names) {
        super(direct, proxy, names);
    }

    @AfterEach
    void closeLog() {
        log.close();
    }

    @Test
    void get_withAnEmptyKey_isRefusedByDynamoDB() {
        var key = Map.of("par", AttributeValue.builder().build(), "num", Tables.number(1));

        var failure = failure(
                inTime(client.getItem(request -> request.tableName(table).key(key))), DynamoDbException.class);

        assertThat(failure.statusCode()).isEqualTo(400);
        assertThat(log.messages()).isEmpty();
    }

    @Test
    void match_whenItsPredicateFails_connectionIsReset() {
        proxy.on(RequestMatch.operation("PutItem").keyWhere(BrokenRuleTest::broken), Fault.resetAfter());

        assertThatPutIsReset();
    }

    @Test
    void then_whenTheSecondFaultFailsAfterADelay_connectionIsReset() {
        proxy.on(
                RequestMatch.any(),
                Fault.delay(Duration.ofMillis(1)).then(Fault.unprocessedIf(BrokenRuleTest::broken)));

        assertThatBatchIsReset();
    }

    @Test
    void hold_whenTheFaultBehindItFails_connectionIsReset() {
        proxy.hold(RequestMatch.any(), Fault.unprocessedIf(BrokenRuleTest::broken))
                .release();

        assertThatBatchIsReset();
    }

    @Test
    void runBefore_whenTheFaultBehindItFails_connectionIsReset() {
        proxy.on(RequestMatch.any(), Fault.runBefore(request -> {}).then(Fault.unprocessedIf(BrokenRuleTest::broken)));

        assertThatBatchIsReset();
    }

    @Test
    void hideFromIndex_whenItsPredicateFails_connectionIsReset() {
        putDirectly(Tables.indexed("a", 1, 10));
        proxy.on(RequestMatch.any(), Fault.hideFromIndex(BrokenRuleTest::broken));

        assertThatIsReset(CompletableFuture.supplyAsync(this::queryIndex), "Query[everything-idx]");
    }

    private static boolean broken(Object argument) {
        throw new AssertionError("broken on " + argument);
    }

    private void assertThatPutIsReset() {
        assertThatIsReset(put("a", 1), "PutItem");
    }

    private void assertThatBatchIsReset() {
        assertThatIsReset(
                client.batchWriteItem(request -> request.requestItems(batch(write(Tables.key("a", 1))))),
                "BatchWriteItem(1)");
    }

    private void assertThatIsReset(CompletableFuture<?> call, String request) {
        failure(inTime(call), SdkClientException.class);
        assertThat(log.messages())
                .containsExactly(
                        "A rule or the recorder of the fault proxy failed on " + request + "; the connection is reset");
    }

    /** A proxy that says nothing fails the test instead of holding it up. */
    private static <T> CompletableFuture<T> inTime(CompletableFuture<T> call) {
        return call.orTimeout(10, TimeUnit.SECONDS);
    }
}
