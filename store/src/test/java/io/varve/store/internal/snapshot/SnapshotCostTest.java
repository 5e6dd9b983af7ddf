package io.varve.store.internal.snapshot;

import static io.varve.store.internal.snapshot.TestSnapshotStore.snapshot;
import static io.varve.store.internal.snapshot.TestSnapshotStore.upTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.testkit.Capacity;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RecordedRequest;
import io.varve.testkit.internal.comparison.CapacityComparison;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** What each operation costs: the exact requests, and capacity by AWS's rules. */
@ExtendWith(SnapshotFixture.Extension.class)
class SnapshotCostTest {
    private static final String ID = "cart|1";
    private static final String ALL = "-all";
    /** What is beside the snapshot's bytes in an item of this test. */
    private static final int REST = 80;

    private final FaultProxy proxy;
    private final DynamoDbAsyncClient client;
    private final String table;
    private final CapacityComparison capacities;

    SnapshotCostTest(SnapshotFixture snapshots) {
        this.proxy = snapshots.proxy();
        this.client = snapshots.client();
        this.table = snapshots.table();
        this.capacities = CapacityComparison.of(proxy, table, table + ALL);
    }

    @AfterEach
    void engineCountsTheSame() {
        assertThat(capacities.result().different()).isEmpty();
    }

    private TestSnapshotStore node() {
        return TestSnapshotStore.on(client, table).build();
    }

    private List<String> requests() {
        return proxy.requests().operations();
    }

    private Capacity cost() {
        return proxy.requests().capacity();
    }

    /** A node that knows how large an item of its table may be. */
    private TestSnapshotStore warm() {
        TestSnapshotStore store = node();
        store.save(snapshot("warm-up", 1, 201_000));
        proxy.requests().clear();
        return store;
    }

    @Test
    void save_ofTenKilobytes_isOnePutOfElevenUnits() {
        TestSnapshotStore store = node();
        store.save(snapshot(ID, 1, 10 * 1024 - REST));
        assertThat(requests()).containsExactly("PutItem");
        assertThat(cost()).isEqualTo(new Capacity(10, 1, 0));
    }

    @Test
    void save_ofTenKilobytesInAPredecessorsTable_isOnePutOfTwentyUnits() {
        String other = table + ALL;
        TestSnapshotStore.createPredecessorsTable(other);
        TestSnapshotStore.on(client, other).build().save(snapshot(ID, 1, 10 * 1024 - REST));
        assertThat(requests()).containsExactly("PutItem");
        assertThat(cost()).isEqualTo(new Capacity(10, 10, 0));
    }

    @Test
    void save_ofUpTo400Kilobytes_isOnePut_afterOneDescriptionOfTheTable() {
        TestSnapshotStore store = node();
        store.save(snapshot(ID, 1, 200_000 - REST));
        store.save(snapshot(ID, 2, 300_000));
        store.save(snapshot(ID, 3, 405_000));
        assertThat(requests()).containsExactly("PutItem", "DescribeTable", "PutItem", "PutItem");
    }

    @Test
    void save_inParts_isAnEntryThePartsAndATransactionAndOneLookAtTheList() {
        TestSnapshotStore store = warm();
        store.save(snapshot(ID, 1, 2_000_000));
        assertThat(requests())
                .containsExactly(
                        "PutItem",
                        "PutItem",
                        "PutItem",
                        "PutItem",
                        "PutItem",
                        "PutItem",
                        "PutItem",
                        "TransactWriteItems(2)",
                        "Query");
        int entry = 1;
        int parts = 5 * 381 + 49;
        int headAndCheck = 2 * 2;
        assertThat(cost()).isEqualTo(new Capacity(entry + parts + headAndCheck, 1, 1));
    }

    @Test
    void saveInParts_whenAnotherOneIsKept_looksAtItsHeadInOneTransaction() {
        TestSnapshotStore store = warm();
        store.save(snapshot(ID, 1, 500_000));
        proxy.requests().clear();
        store.save(snapshot(ID, 2, 500_000));
        assertThat(requests())
                .containsExactly(
                        "PutItem", "PutItem", "PutItem", "TransactWriteItems(2)", "Query", "TransactWriteItems(2)");
    }

    @Test
    void loadLatest_isOneConsistentQueryThatReadsOneItem() {
        TestSnapshotStore store = node();
        for (long n = 1; n <= 5; n++) {
            store.save(snapshot(ID, n, 10 * 1024 - REST));
        }
        proxy.requests().clear();
        store.load(ID);
        assertThat(requests()).containsExactly("Query");
        RecordedRequest query = proxy.requests().requests().get(0);
        assertThat(query.items()).isEqualTo(1);
        assertThat(query.consistentRead()).isTrue();
        assertThat(query.request().body().path("Limit").intValue()).isEqualTo(1);
        assertThat(query.request().body().path("ScanIndexForward").asBoolean(true))
                .isFalse();
        assertThat(cost()).as("10 KB in units of 4 KB").isEqualTo(new Capacity(0, 0, 3));
    }

    @Test
    void load_withATimeBound_isOneQueryForTheNewestAndOneForEachFiveThatFollow() {
        TestSnapshotStore store = node();
        for (long n = 1; n <= 9; n++) {
            store.save(snapshot(ID, n, Instant.ofEpochMilli(n), 10 * 1024 - REST));
        }
        proxy.requests().clear();
        store.load(ID, new Criteria(0, Long.MAX_VALUE, Instant.EPOCH, Instant.ofEpochMilli(8)));
        assertThat(requests()).containsExactly("Query", "Query");
        assertThat(cost()).as("one, and five more").isEqualTo(new Capacity(0, 0, 3 + 13));
        proxy.requests().clear();
        store.load(ID, new Criteria(0, Long.MAX_VALUE, Instant.EPOCH, Instant.ofEpochMilli(3)));
        assertThat(requests()).containsExactly("Query", "Query", "Query");
    }

    @Test
    void load_ofAnEntityWithoutSnapshots_isOneQueryOfOneUnit() {
        node().load(ID);
        assertThat(requests()).containsExactly("Query");
        assertThat(cost()).isEqualTo(new Capacity(0, 0, 1));
    }

    @Test
    void load_ofASnapshotInParts_isOneQueryAndOneBatchForEachTwelveParts() {
        TestSnapshotStore store = warm();
        store.save(snapshot(ID, 1, 390_000 * 12));
        store.save(snapshot(ID, 2, 390_000 * 30));
        proxy.requests().clear();
        store.load(ID, upTo(1));
        assertThat(requests()).containsExactly("Query", "BatchGetItem(12)");
        assertThat(proxy.requests().requests().get(1).consistentRead()).isTrue();
        proxy.requests().clear();
        store.load(ID);
        assertThat(requests())
                .containsExactlyInAnyOrder("Query", "BatchGetItem(12)", "BatchGetItem(12)", "BatchGetItem(6)");
    }

    @Test
    void deleteOne_isOneDeleteAndOneLookAtTheList() {
        TestSnapshotStore store = node();
        store.save(snapshot(ID, 1, 10 * 1024 - REST));
        proxy.requests().clear();
        store.delete(ID, 1);
        assertThat(requests()).containsExactly("DeleteItem", "Query");
        assertThat(cost()).isEqualTo(new Capacity(10, 1, 1));
    }

    @Test
    void deleteByCriteria_readsKeysOnlyAndDeletesEachByItself() {
        TestSnapshotStore store = node();
        for (long n = 1; n <= 60; n++) {
            store.save(snapshot(ID, n, 1_000));
        }
        proxy.requests().clear();
        store.delete(ID, upTo(59));
        assertThat(requests().get(0)).isEqualTo("Query[ts-idx]");
        assertThat(requests().subList(1, 60)).hasSize(59).containsOnly("DeleteItem");
        assertThat(requests().subList(60, requests().size())).containsExactly("Query");
        assertThat(cost().allWriteUnits()).isEqualTo(59 * (2 + 1));
    }

    @Test
    void deleteByCriteria_whenNothingMatches_isTwoQueries() {
        node().delete(ID, TestSnapshotStore.ALL);
        assertThat(requests()).containsExactly("Query[ts-idx]", "Query");
    }

    @Test
    void delete_ofASnapshotInParts_removesItsSetWithFourMoreRequests() {
        TestSnapshotStore store = warm();
        store.save(snapshot(ID, 1, 1_000_000));
        proxy.requests().clear();
        store.delete(ID, 1);
        assertThat(requests())
                .containsExactly(
                        "DeleteItem",
                        "DeleteItem",
                        "Query",
                        "TransactWriteItems(2)",
                        "BatchWriteItem(3)",
                        "BatchWriteItem(1)");
        int refused = 1;
        int head = 1;
        int doomAndCheck = 2 * 2;
        int parts = 2 * 381 + 215;
        int entry = 1;
        assertThat(cost()).isEqualTo(new Capacity(refused + head + doomAndCheck + parts + entry, 1, 1));
    }

    @Test
    void save_inParts_sendsNoMoreAtOnceThanConfigured() {
        TestSnapshotStore store = warm();
        capacities.stop();
        var gate = proxy.hold(io.varve.testkit.RequestMatch.operation("PutItem").skip(1));
        var saving = store.store().save(snapshot(ID, 1, 4_000_000)).toCompletableFuture();
        gate.awaitArrivals(4);
        store.load("another");
        assertThat(gate.arrivals()).as("the fifth part waits").isEqualTo(4);
        gate.releaseAll();
        TestSnapshotStore.await(saving);
        assertThat(Collections.frequency(requests(), "PutItem")).isEqualTo(1 + 11);
    }
}
