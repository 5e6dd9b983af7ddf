package io.varve.store.internal.snapshot;

import static io.varve.store.internal.snapshot.TestSnapshotStore.between;
import static io.varve.store.internal.snapshot.TestSnapshotStore.snapshot;
import static io.varve.store.internal.snapshot.TestSnapshotStore.upTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.KeyException;
import io.varve.store.ThrottledException;
import io.varve.store.VarveException;
import io.varve.store.internal.layout.Payload;
import io.varve.store.internal.layout.SnapshotKeys;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.ThrottleCode;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Which snapshot is loaded. */
@ExtendWith(SnapshotFixture.Extension.class)
class SnapshotLoadTest {
    private static final String ID = "cart|1";

    private final FaultProxy proxy;
    private final DynamoDbAsyncClient client;
    private final String table;

    SnapshotLoadTest(SnapshotFixture snapshots) {
        this.proxy = snapshots.proxy();
        this.client = snapshots.client();
        this.table = snapshots.table();
    }

    private TestSnapshotStore node() {
        return TestSnapshotStore.on(client, table).build();
    }

    private TestSnapshotStore smallItems() {
        return TestSnapshotStore.on(client, table).smallItems().build();
    }

    /** Adds an attribute to a stored snapshot, or replaces one. */
    private void set(long sequenceNumber, String attribute, AttributeValue value) {
        client.updateItem(r -> r.tableName(table)
                        .key(TestSnapshotStore.KEYS.key(ID, sequenceNumber))
                        .updateExpression("SET #a = :v")
                        .expressionAttributeNames(Map.of("#a", attribute))
                        .expressionAttributeValues(Map.of(":v", value)))
                .join();
    }

    private Optional<Long> olderOnFailure(TestSnapshotStore store, long failing) {
        return TestSnapshotStore.await(store.store()
                .load(
                        ID,
                        TestSnapshotStore.ALL,
                        true,
                        snapshot -> snapshot.sequenceNumber() >= failing
                                ? CompletableFuture.failedFuture(new IllegalStateException("cannot be deserialized"))
                                : CompletableFuture.completedFuture(snapshot.sequenceNumber())));
    }

    @Test
    void load_ofAnEntityWithoutSnapshots_findsNone() {
        assertThat(node().load(ID)).isEmpty();
    }

    @Test
    void load_byAnyBounds_findsTheNewestWithinThemThroughAllPages() {
        TestSnapshotStore store = node();
        for (long n = 1; n <= 40; n++) {
            store.save(snapshot(ID, n, Instant.ofEpochMilli(1000 + n), 60_000));
        }
        long always = 1_000_000;
        assertThat(store.loadedNumber(ID, between(0, 40, 0, always))).contains(40L);
        assertThat(store.loadedNumber(ID, between(0, 25, 0, always))).contains(25L);
        assertThat(store.loadedNumber(ID, between(0, 40, 0, 1003)))
                .as("37 newer ones, more than one page of them, do not match (B9)")
                .contains(3L);
        assertThat(store.loadedNumber(ID, between(0, 30, 0, 1035))).contains(30L);
        assertThat(store.loadedNumber(ID, between(0, 35, 0, 1030))).contains(30L);
        assertThat(store.loadedNumber(ID, between(10, 40, 0, 1010))).contains(10L);
        assertThat(store.loadedNumber(ID, between(11, 40, 0, 1010))).isEmpty();
        assertThat(store.loadedNumber(ID, between(0, 40, 1041, always))).isEmpty();
        assertThat(store.loadedNumber(ID, between(0, 20, 1020, always))).contains(20L);
        assertThat(store.loadedNumber(ID, between(0, 20, 1021, always))).isEmpty();
        assertThat(store.loadedNumber(ID, between(1, 1, 1001, 1001))).contains(1L);
    }

    @Test
    void load_whenABoundIsAboveTheOther_findsNone() {
        TestSnapshotStore store = node();
        store.save(snapshot(ID, 5, 10));
        assertThat(store.load(ID, between(6, 5, 0, 100))).isEmpty();
        assertThat(store.load(ID, between(0, 9, 6, 5))).isEmpty();
    }

    @Test
    void load_whenClocksWereSkewed_takesTheHighestSequenceNumber() {
        TestSnapshotStore store = node();
        store.save(snapshot(ID, 10, Instant.ofEpochMilli(9_000), 10));
        store.save(snapshot(ID, 20, Instant.ofEpochMilli(3_000), 10));
        store.save(snapshot(ID, 30, Instant.ofEpochMilli(6_000), 10));
        assertThat(store.loadedNumber(ID, TestSnapshotStore.ALL)).as("B10").contains(30L);
        assertThat(store.loadedNumber(ID, between(0, 100, 0, 5_000))).contains(20L);
    }

    @Test
    void load_neverReturnsAnotherEntitysSnapshot() {
        TestSnapshotStore store = node();
        store.save(snapshot("cart|1", 1, 10));
        store.save(snapshot("cart|11", 2, 10));
        store.save(snapshot("cart|1-1", 3, 10));
        assertThat(store.load("cart|1")).contains(snapshot("cart|1", 1, 10));
        assertThat(store.load("cart|")).isEmpty();
    }

    @Test
    void load_passesOverExpiredSnapshots() {
        Instant now = Instant.parse("2026-01-01T00:00:00Z");
        TestSnapshotStore store = TestSnapshotStore.on(client, table)
                .clock(InstantSource.fixed(now))
                .build();
        for (long n = 1; n <= 3; n++) {
            store.save(snapshot(ID, n, 10));
        }
        set(3, "expiry", AttributeValue.fromN(Long.toString(now.getEpochSecond())));
        set(2, "expiry", AttributeValue.fromN(Long.toString(now.getEpochSecond() + 1)));
        assertThat(store.loadedNumber(ID, TestSnapshotStore.ALL)).contains(2L);
    }

    @Test
    void load_returnsWhatWasSaved_metadataAndManifestIncluded() {
        TestSnapshotStore store = node();
        Snapshot plain = snapshot(ID, 7, 100);
        Snapshot full = new Snapshot(
                ID,
                8,
                plain.timestamp(),
                new Payload(SdkBytes.fromUtf8String("state"), -3, ""),
                Optional.of(new Payload(SdkBytes.fromUtf8String("about"), 9, "m")),
                false);
        store.save(plain);
        store.save(full);
        assertThat(store.load(ID, upTo(7))).contains(plain);
        assertThat(store.load(ID, upTo(8))).contains(full);
    }

    @Test
    void load_ofAnEmptySnapshot_returnsIt() {
        TestSnapshotStore store = node();
        store.save(snapshot(ID, 1, 0));
        assertThat(store.load(ID)).contains(snapshot(ID, 1, 0));
    }

    @Test
    void load_readsTheOldestFormat() {
        Map<String, AttributeValue> item = new HashMap<>(TestSnapshotStore.KEYS.key(ID, 4));
        byte[] wrapper = {4, 0, 0, 0, 20, 0, 0, 0, 'o', 'l', 'd', 's', 'n', 'a', 'p'};
        item.put("pay", AttributeValue.fromB(SdkBytes.fromByteArray(wrapper)));
        item.put("ts", AttributeValue.fromN("17"));
        client.putItem(r -> r.tableName(table).item(item)).join();
        assertThat(node().load(ID))
                .contains(new Snapshot(
                        ID,
                        4,
                        Instant.ofEpochMilli(17),
                        new Payload(SdkBytes.fromByteArray(wrapper), 8, ""),
                        Optional.empty(),
                        true));
    }

    @Test
    void load_whenReadingFails_goesBackOneByOneOnlyIfAskedTo() {
        TestSnapshotStore store = node();
        for (long n = 1; n <= 20; n++) {
            store.save(snapshot(ID, n, 10));
        }
        assertThat(olderOnFailure(store, 3)).contains(2L);
        assertThat(olderOnFailure(store, 0)).isEmpty();
        List<Long> read = new ArrayList<>();
        assertThatThrownBy(() ->
                        TestSnapshotStore.await(store.store().load(ID, TestSnapshotStore.ALL, false, snapshot -> {
                            read.add(snapshot.sequenceNumber());
                            throw new IllegalStateException("cannot be deserialized");
                        })))
                .hasMessage("cannot be deserialized");
        assertThat(read).containsExactly(20L);
    }

    @Test
    void load_whenPartsCannotBeFetched_failsInsteadOfGoingBack() {
        smallItems().save(snapshot(ID, 1, TestSnapshotStore.LARGE));
        smallItems().save(snapshot(ID, 2, TestSnapshotStore.LARGE));
        proxy.on(RequestMatch.operation("BatchGetItem"), Fault.throttle(ThrottleCode.PROVISIONED_THROUGHPUT_EXCEEDED));
        TestSnapshotStore store = TestSnapshotStore.on(client, table)
                .operationTimeout(Duration.ofMillis(1500))
                .build();
        assertThatThrownBy(() -> olderOnFailure(store, 100))
                .as("an older snapshot may lack events that were deleted: a fault that passes is no reason to use it")
                .isInstanceOf(ThrottledException.class);
    }

    @Test
    void load_whenAPartIsMissing_saysSoAndNeverReturnsTheRest() {
        smallItems().save(snapshot(ID, 1, 10));
        smallItems().save(snapshot(ID, 2, TestSnapshotStore.LARGE));
        String partKey = TestSnapshotStore.text(
                client.getItem(r -> r.tableName(table).key(TestSnapshotStore.KEYS.key(ID, 2)))
                        .join()
                        .item(),
                "part_key");
        client.deleteItem(r -> r.tableName(table).key(SnapshotKeys.partKey(partKey, 3)))
                .join();
        assertThatThrownBy(() -> node().load(ID))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("snapshot 2 of 'cart|1'")
                .hasMessageContaining("1 of its 5 parts")
                .hasMessageContaining("load-older-on-failure");
        assertThat(olderOnFailure(node(), 100)).contains(1L);
    }

    @Test
    void load_whenTheSnapshotIsReplacedBetweenHeadAndParts_returnsTheNewOne() {
        smallItems().save(snapshot(ID, 2, TestSnapshotStore.LARGE));
        proxy.on(
                RequestMatch.operation("BatchGetItem").times(1),
                Fault.runBefore(request -> smallItems().save(snapshot(ID, 2, TestSnapshotStore.LARGE + 1))));
        assertThat(node().load(ID)).contains(snapshot(ID, 2, TestSnapshotStore.LARGE + 1));
    }

    @Test
    void load_whenTheSnapshotIsDeletedBetweenHeadAndParts_returnsTheOlderOne() {
        smallItems().save(snapshot(ID, 1, 10));
        smallItems().save(snapshot(ID, 2, TestSnapshotStore.LARGE));
        proxy.on(
                RequestMatch.operation("BatchGetItem").times(1),
                Fault.runBefore(request -> smallItems().delete(ID, 2)));
        assertThat(node().load(ID)).contains(snapshot(ID, 1, 10));
    }

    @Test
    void load_ofABadItem_saysWhichAndWhy() {
        TestSnapshotStore store = node();
        Map<String, AttributeValue> bare = new HashMap<>(TestSnapshotStore.KEYS.key(ID, 1));
        bare.put("ts", AttributeValue.fromN("1"));
        client.putItem(r -> r.tableName(table).item(bare)).join();
        assertBad(store, 1, "holds no snapshot");

        store.save(snapshot(ID, 2, 10));
        set(2, "pay_data", AttributeValue.fromS("text"));
        assertBad(store, 2, "pay_data");

        store.save(snapshot(ID, 3, 10));
        set(3, "part_key", AttributeValue.fromS("somewhere"));
        assertBad(store, 3, "parts");

        store.save(snapshot(ID, 4, 10));
        set(4, "ser_id", AttributeValue.fromS("none"));
        assertBad(store, 4, "ser_id");

        store.save(snapshot(ID, 5, 10));
        set(5, "comp", AttributeValue.fromS("zstd"));
        assertBad(store, 5, "zstd");
        assertBad(store, 5, "update Varve");

        store.save(snapshot(ID, 6, 10));
        set(6, "comp", AttributeValue.fromS("gzip"));
        assertBad(store, 6, "gzip");
    }

    private void assertBad(TestSnapshotStore store, long sequenceNumber, String what) {
        assertThatThrownBy(() -> store.load(ID))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("snapshot " + sequenceNumber + " of '" + ID + "'")
                .hasMessageContaining(what);
    }

    @Test
    void anyOperation_ofAnIdThatCannotBeAKey_isRefusedInWords() {
        TestSnapshotStore store = smallItems();
        String longest = "x".repeat(2_018);
        assertThatThrownBy(() -> store.load("")).isInstanceOf(KeyException.class);
        assertThatThrownBy(() -> store.delete("y".repeat(2_100), 1)).isInstanceOf(KeyException.class);
        assertThatThrownBy(() -> store.delete("y".repeat(2_100), TestSnapshotStore.ALL))
                .isInstanceOf(KeyException.class);
        store.save(snapshot(longest, 1, 10));
        assertThat(store.load(longest)).contains(snapshot(longest, 1, 10));
        assertThatThrownBy(() -> store.save(snapshot(longest, 2, TestSnapshotStore.LARGE)))
                .isInstanceOf(KeyException.class)
                .hasMessageContaining("parts");
        store.delete(longest, 1);
        assertThat(store.load(longest)).isEmpty();
    }
}
