package io.varve.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.ProvisionedThroughputExceededException;

/** What a partition takes, and what is throttled beyond. */
final class WriteLimitTest extends ProxyFixture {

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
    private final WriteLimit limit = WriteLimit.perSecond(10).clock(now::get);

    WriteLimitTest(DynamoDbAsyncClient direct, FaultProxy proxy, TableNames names) {
        super(direct, proxy, names);
    }

    private CompletableFuture<?> put(String par, int num, int bytes) {
        return client.putItem(request -> request.tableName(table).item(Tables.indexed(par, num, bytes)));
    }

    private void assertThrottled(CompletableFuture<?> write) {
        failure(write, ProvisionedThroughputExceededException.class);
    }

    private void pass(long millis) {
        now.updateAndGet(before -> before.plusMillis(millis));
    }

    @Test
    void writesOfOneKey_beyondTheUnitsOfASecond_areThrottledUntilTimePasses() {
        proxy.on(RequestMatch.any(), limit.fault());
        put("a", 1, 6 * 1024 - 40).join();
        assertThrottled(put("a", 2, 6 * 1024 - 40));
        assertThat(isStored("a", 2)).isFalse();
        put("a", 3, 4 * 1024 - 40).join();
        assertThrottled(client.deleteItem(r -> r.tableName(table).key(Tables.key("a", 1))));
        pass(600);
        put("a", 2, 6 * 1024 - 40).join();
        assertThat(limit.throttled()).isEqualTo(2);
    }

    @Test
    void writesOfOtherKeys_areNotAffected_andReadsNever() {
        proxy.on(RequestMatch.any(), limit.fault());
        put("a", 1, 10 * 1024 - 40).join();
        put("b", 1, 10 * 1024 - 40).join();
        assertThat(query("a").count()).isEqualTo(1);
        assertThrottled(put("b", 2, 1));
    }

    @Test
    void transactions_countTwice_andAreThrottledAsAWhole() {
        proxy.on(RequestMatch.any(), limit.fault());
        put("b", 1, 1).join();
        assertThrottled(client.transactWriteItems(request -> request.transactItems(
                transactPut(Tables.indexed("a", 1, 1)), transactPut(Tables.indexed("b", 2, 5 * 1024 - 40)))));
        put("a", 1, 10 * 1024 - 40).join();
        put("b", 2, 9 * 1024 - 40).join();
    }

    @Test
    void itemAboveTheUnitsOfASecond_passesWhenNothingElseDoes_andIsPaidOff() {
        proxy.on(RequestMatch.any(), limit.fault());
        put("a", 1, 30 * 1024 - 40).join();
        pass(2_000);
        assertThrottled(put("a", 2, 1));
        pass(1_000);
        put("a", 2, 1).join();
    }

    @Test
    void keysThatSharePartitions_shareTheirUnits() {
        proxy.on(RequestMatch.any(), limit.partitions(1).fault());
        put("a", 1, 10 * 1024 - 40).join();
        assertThrottled(put("b", 1, 1));
    }
}
