package io.varve.store.internal.snapshot;

import static io.varve.store.internal.snapshot.TestSnapshotStore.LARGE;
import static io.varve.store.internal.snapshot.TestSnapshotStore.snapshot;
import static io.varve.store.internal.snapshot.TestSnapshotStore.upTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.StoreException;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** One budget for each operation: requests of which each is quick enough, but all together are not. */
@ExtendWith(SnapshotFixture.Extension.class)
class SnapshotBudgetTest {
    private static final String ID = "cart|1";
    private static final Fault SLOW = Fault.delay(Duration.ofMillis(400));

    private final FaultProxy proxy;
    private final DynamoDbAsyncClient client;
    private final DynamoDbAsyncClient direct;
    private final String table;

    SnapshotBudgetTest(SnapshotFixture snapshots) {
        this.proxy = snapshots.proxy();
        this.client = snapshots.client();
        this.direct = snapshots.direct();
        this.table = snapshots.table();
    }

    /** A node with time for fewer than four slow requests. */
    private TestSnapshotStore hurried() {
        return TestSnapshotStore.on(client, table)
                .smallItems()
                .oneAfterAnother()
                .operationTimeout(Duration.ofMillis(1500))
                .build();
    }

    private TestSnapshotStore other() {
        return TestSnapshotStore.on(direct, table).smallItems().build();
    }

    @Test
    void save_whoseRequestsTakeLongerTogether_failsAndDoesNotGoOn() {
        proxy.on(RequestMatch.any(), SLOW);
        assertThatThrownBy(() -> hurried().save(snapshot(ID, 1, LARGE)))
                .as("an entry, five parts, and a head")
                .isInstanceOf(StoreException.class);
        proxy.clear();
        assertThat(proxy.requests().operations()).contains("PutItem").doesNotContain("TransactWriteItems(2)");
        other().delete(ID, 1);
        assertThat(other().load(ID)).isEmpty();
    }

    @Test
    void save_whoseSnapshotIsMadeTooSlowly_sendsNothing() {
        CompletableFuture<Snapshot> made =
                new CompletableFuture<Snapshot>().completeOnTimeout(snapshot(ID, 1, 10), 200, TimeUnit.MILLISECONDS);
        SnapshotStore store = TestSnapshotStore.on(client, table)
                .operationTimeout(Duration.ofMillis(100))
                .build()
                .store();
        assertThatThrownBy(() -> TestSnapshotStore.await(store.save(made))).isInstanceOf(StoreException.class);
        assertThat(proxy.requests().size()).isZero();
    }

    @Test
    void load_whoseRequestsTakeLongerTogether_fails() {
        for (long n = 1; n <= 20; n++) {
            other().save(snapshot(ID, n, 10));
        }
        proxy.on(RequestMatch.any(), SLOW);
        assertThatThrownBy(() -> TestSnapshotStore.await(hurried()
                        .store()
                        .load(
                                ID,
                                TestSnapshotStore.ALL,
                                true,
                                snapshot -> CompletableFuture.failedFuture(new IllegalStateException("unreadable")))))
                .as("a page of one, and four of five")
                .isInstanceOf(StoreException.class);
    }

    @Test
    void delete_whoseRequestsTakeLongerTogether_failsAndDoesNotGoOn() {
        for (long n = 1; n <= 6; n++) {
            other().save(snapshot(ID, n, 10));
        }
        proxy.on(RequestMatch.any(), SLOW);
        assertThatThrownBy(() -> hurried().delete(ID, upTo(6)))
                .as("a query, and six heads")
                .isInstanceOf(StoreException.class);
        proxy.clear();
        assertThat(proxy.requests().operations()).contains("DeleteItem").doesNotContain("Query");
    }
}
