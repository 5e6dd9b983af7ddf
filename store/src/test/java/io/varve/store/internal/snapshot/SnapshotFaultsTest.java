package io.varve.store.internal.snapshot;

import static io.varve.store.internal.snapshot.TestSnapshotStore.LARGE;
import static io.varve.store.internal.snapshot.TestSnapshotStore.snapshot;
import static io.varve.store.internal.snapshot.TestSnapshotStore.upTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.TableMissingException;
import io.varve.store.ThrottledException;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.FaultRule;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.ThrottleCode;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Lost answers, throttling, and batches of which a part comes back. */
@ExtendWith(SnapshotFixture.Extension.class)
class SnapshotFaultsTest {
    private static final String ID = "cart|1";

    private final FaultProxy proxy;
    private final DynamoDbAsyncClient client;
    private final String table;

    SnapshotFaultsTest(SnapshotFixture snapshots) {
        this.proxy = snapshots.proxy();
        this.client = snapshots.client();
        this.table = snapshots.table();
    }

    private TestSnapshotStore node() {
        return TestSnapshotStore.on(client, table).smallItems().build();
    }

    private TestSnapshotStore later() {
        return TestSnapshotStore.on(client, table).smallItems().later().build();
    }

    private void assertClean() {
        TestSnapshotStore.assertNothingIsOrphaned(client, table, ID);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PutItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem", "Query", "BatchGetItem"})
    void answersLost_ofEachKindOfRequest_doNoHarm(String operation) {
        TestSnapshotStore store = node();
        FaultRule rule = proxy.on(RequestMatch.operation(operation).times(3), Fault.resetAfter());
        store.save(snapshot(ID, 1, LARGE));
        store.save(snapshot(ID, 1, LARGE + 1));
        store.save(snapshot(ID, 2, 10));
        store.save(snapshot(ID, 3, LARGE));
        assertThat(store.load(ID)).contains(snapshot(ID, 3, LARGE));
        store.delete(ID, 3);
        store.delete(ID, upTo(2));
        assertThat(store.load(ID)).isEmpty();
        assertThat(rule.hits()).isPositive();
        later().delete(ID, 77);
        assertThat(TestSnapshotStore.scan(client, table)).isEmpty();
    }

    @Test
    void batchesHalfProcessed_areFinished() {
        TestSnapshotStore store = node();
        store.save(snapshot(ID, 1, 60_000));
        store.save(snapshot(ID, 2, LARGE));
        proxy.on(RequestMatch.operation("BatchGetItem").times(2), Fault.unprocessed(3));
        proxy.on(RequestMatch.operation("BatchGetItem").times(1), Fault.unprocessed());
        assertThat(store.load(ID, upTo(1))).contains(snapshot(ID, 1, 60_000));
        proxy.on(RequestMatch.operation("BatchWriteItem").times(2), Fault.unprocessed(4));
        proxy.on(RequestMatch.operation("BatchWriteItem").times(2), Fault.unprocessed());
        store.delete(ID, upTo(2));
        assertThat(TestSnapshotStore.scan(client, table)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"PutItem, 10", "PutItem, 22000", "TransactWriteItems, 22000"})
    void save_whenThrottledForLongerThanTheBudget_failsAndLeavesTheOlderOne(String operation, int size) {
        node().save(snapshot(ID, 1, LARGE));
        proxy.on(RequestMatch.operation(operation), Fault.throttle(ThrottleCode.PROVISIONED_THROUGHPUT_EXCEEDED));
        TestSnapshotStore store = TestSnapshotStore.on(client, table)
                .smallItems()
                .operationTimeout(Duration.ofMillis(1500))
                .build();
        assertThatThrownBy(() -> store.save(snapshot(ID, 2, size))).isInstanceOf(ThrottledException.class);
        proxy.clear();
        assertThat(node().load(ID)).contains(snapshot(ID, 1, LARGE));
        later().delete(ID, 77);
        assertClean();
    }

    @Test
    void save_whenOnlyTheCleanUpFails_succeeds() {
        TestSnapshotStore store = node();
        store.save(snapshot(ID, 1, LARGE));
        proxy.on(RequestMatch.operation("BatchWriteItem"), Fault.error(400, "AccessDeniedException", "no"));
        store.save(snapshot(ID, 1, LARGE + 1));
        proxy.clear();
        assertThat(store.load(ID)).contains(snapshot(ID, 1, LARGE + 1));
        store.save(snapshot(ID, 2, LARGE));
        assertClean();
    }

    @Test
    void delete_whenThrottledForLongerThanTheBudget_fails() {
        node().save(snapshot(ID, 1, LARGE));
        proxy.on(RequestMatch.operation("DeleteItem"), Fault.throttle(ThrottleCode.PROVISIONED_THROUGHPUT_EXCEEDED));
        TestSnapshotStore store = TestSnapshotStore.on(client, table)
                .smallItems()
                .operationTimeout(Duration.ofMillis(1500))
                .build();
        assertThatThrownBy(() -> store.delete(ID, 1)).isInstanceOf(ThrottledException.class);
        assertThatThrownBy(() -> store.delete(ID, TestSnapshotStore.ALL)).isInstanceOf(ThrottledException.class);
        proxy.clear();
        assertThat(node().load(ID)).contains(snapshot(ID, 1, LARGE));
        node().delete(ID, 1);
        assertThat(TestSnapshotStore.scan(client, table)).isEmpty();
    }

    @Test
    void load_whenThrottledForLongerThanTheBudget_failsInsteadOfFindingNothing() {
        node().save(snapshot(ID, 1, 10));
        proxy.on(RequestMatch.operation("Query"), Fault.throttle(ThrottleCode.PROVISIONED_THROUGHPUT_EXCEEDED));
        TestSnapshotStore store = TestSnapshotStore.on(client, table)
                .operationTimeout(Duration.ofMillis(1500))
                .build();
        assertThatThrownBy(() -> store.load(ID)).isInstanceOf(ThrottledException.class);
    }

    @Test
    void anyOperation_whenTheTableIsMissing_namesItAndSaysWhatToDo() {
        TestSnapshotStore store =
                TestSnapshotStore.on(client, "no-such-table").smallItems().build();
        assertThatThrownBy(() -> store.load(ID))
                .isInstanceOf(TableMissingException.class)
                .hasMessageContaining("'no-such-table'")
                .hasMessageContaining("VarveTables");
        assertThatThrownBy(() -> store.save(snapshot(ID, 1, 10))).isInstanceOf(TableMissingException.class);
        assertThatThrownBy(() -> store.save(snapshot(ID, 1, LARGE))).isInstanceOf(TableMissingException.class);
        assertThatThrownBy(() -> store.delete(ID, 1)).isInstanceOf(TableMissingException.class);
        assertThatThrownBy(() -> store.delete(ID, TestSnapshotStore.ALL)).isInstanceOf(TableMissingException.class);
    }
}
