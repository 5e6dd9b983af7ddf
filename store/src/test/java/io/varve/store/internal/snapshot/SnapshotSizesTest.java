package io.varve.store.internal.snapshot;

import static io.varve.store.internal.snapshot.TestSnapshotStore.LARGE;
import static io.varve.store.internal.snapshot.TestSnapshotStore.snapshot;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.SnapshotTooLargeException;
import io.varve.store.internal.layout.ItemSize;
import io.varve.store.internal.layout.Payload;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.FaultRule;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Snapshots of any size, in both kinds of tables. */
@DynamoDBTest
class SnapshotSizesTest {
    private static final String ID = "cart|1";
    private static final int MEGABYTE = 1024 * 1024;

    private final FaultProxy proxy;
    private final DynamoDbAsyncClient client;
    private final String table;

    SnapshotSizesTest(FaultProxy proxy, TableNames names) {
        this.proxy = proxy;
        this.client = proxy.client();
        this.table = names.snapshots();
    }

    @AfterEach
    void close() {
        client.close();
    }

    private void create(boolean predecessors) {
        if (predecessors) {
            TestSnapshotStore.createPredecessorsTable(table);
        } else {
            TestSnapshotStore.createTable(table);
        }
    }

    private Map<String, AttributeValue> head(long sequenceNumber) {
        return client.getItem(r -> r.tableName(table).key(TestSnapshotStore.KEYS.key(ID, sequenceNumber)))
                .join()
                .item();
    }

    @ParameterizedTest
    @CsvSource({
        "199000, true, false",
        "201000, true, true",
        "205000, true, true",
        "300000, true, true",
        "409600, true, true",
        "201000, false, false",
        "300000, false, false",
        "405000, false, false",
        "406000, false, true",
        "409600, false, true"
    })
    void save_aroundTheLimitOfAnItem_worksInBothKindsOfTables(int size, boolean predecessors, boolean inParts) {
        create(predecessors);
        TestSnapshotStore store = TestSnapshotStore.on(client, table).build();
        store.save(snapshot(ID, 1, size));
        assertThat(head(1).containsKey("part_key")).as("in parts (B12)").isEqualTo(inParts);
        assertThat(TestSnapshotStore.on(client, table).build().load(ID)).contains(snapshot(ID, 1, size));
    }

    @Test
    void save_whenTheTableCannotBeDescribed_cutsIntoPartsFromTwoHundredKilobytes() {
        create(false);
        proxy.on(
                RequestMatch.operation("DescribeTable"),
                Fault.error(400, "AccessDeniedException", "not authorized to perform dynamodb:DescribeTable"));
        TestSnapshotStore store = TestSnapshotStore.on(client, table).build();
        store.save(snapshot(ID, 1, 300_000));
        store.save(snapshot(ID, 2, 300_000));
        assertThat(head(2)).containsKey("part_key");
        assertThat(store.load(ID)).contains(snapshot(ID, 2, 300_000));
        assertThat(proxy.requests().operations())
                .filteredOn("DescribeTable"::equals)
                .as("it is not asked again")
                .hasSize(1);
    }

    @Test
    void save_afterADescriptionThatFailedForATime_asksAgain() {
        create(false);
        FaultRule fault = proxy.on(RequestMatch.operation("DescribeTable"), Fault.internalServerError());
        TestSnapshotStore store = TestSnapshotStore.on(client, table)
                .operationTimeout(Duration.ofSeconds(4))
                .build();
        store.save(snapshot(ID, 1, 300_000));
        fault.remove();
        store.save(snapshot(ID, 2, 300_000));
        assertThat(head(1)).containsKey("part_key");
        assertThat(head(2)).doesNotContainKey("part_key");
    }

    @ParameterizedTest
    @CsvSource({"20, false", "20, true"})
    void save_ofTwentyMegabytes_comesBackAsItWas(int megabytes, boolean gzip) {
        create(false);
        proxy.recording(false);
        TestSnapshotStore.Builder node = TestSnapshotStore.on(client, table);
        Snapshot large = snapshot(ID, 1, megabytes * MEGABYTE - 10_000);
        (gzip ? node.gzip() : node).build().save(large);
        Optional<Snapshot> loaded = TestSnapshotStore.on(client, table).build().load(ID);
        assertThat(loaded.orElseThrow().equals(large)).as("equal").isTrue();
        assertThat(head(1).containsKey("comp")).isEqualTo(gzip);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4_999, 5_000, 5_001, 9_000, 9_999, 10_000, 10_001, 15_000, 15_001})
    void save_atTheBordersOfParts_comesBackAsItWas(int size) {
        create(false);
        TestSnapshotStore store =
                TestSnapshotStore.on(client, table).smallItems().build();
        store.save(snapshot(ID, 1, size));
        assertThat(store.load(ID)).contains(snapshot(ID, 1, size));
        TestSnapshotStore.assertNothingIsOrphaned(client, table, ID);
    }

    @Test
    void save_withGzip_isSmallerAndReadWithoutASetting() {
        create(false);
        Snapshot zeros = new Snapshot(
                ID,
                1,
                snapshot(ID, 1, 0).timestamp(),
                new Payload(SdkBytes.fromByteArray(new byte[5 * MEGABYTE]), 20, ""),
                Optional.empty(),
                false);
        TestSnapshotStore.on(client, table).gzip().build().save(zeros);
        assertThat(TestSnapshotStore.text(head(1), "comp")).isEqualTo("gzip");
        assertThat(head(1)).as("no parts are needed").doesNotContainKey("part_key");
        assertThat(ItemSize.of(head(1))).isLessThan(20_000);
        assertThat(TestSnapshotStore.on(client, table).build().load(ID)).contains(zeros);
    }

    @Test
    void load_ofPartsThatWereCutSmaller_needsNoSetting() {
        create(false);
        TestSnapshotStore.on(client, table).smallItems().build().save(snapshot(ID, 1, 600_000));
        assertThat(TestSnapshotStore.on(client, table).build().load(ID)).contains(snapshot(ID, 1, 600_000));
    }

    @Test
    void save_beyondMaxSnapshotSize_isRefusedWithSizeAndLimitAndLeavesTheOlderOne() {
        create(false);
        TestSnapshotStore store =
                TestSnapshotStore.on(client, table).maxSnapshotSize(1_000).build();
        store.save(snapshot(ID, 1, 1_000));
        proxy.requests().clear();
        assertThatThrownBy(() -> store.save(snapshot(ID, 2, 1_001)))
                .isInstanceOf(SnapshotTooLargeException.class)
                .hasMessageContaining("snapshot 2 of 'cart|1'")
                .hasMessageContaining("1001 bytes")
                .hasMessageContaining("max-snapshot-size is 1000");
        assertThat(proxy.requests().size()).as("nothing is sent").isZero();
        assertThat(store.load(ID)).contains(snapshot(ID, 1, 1_000));
    }

    @ParameterizedTest
    @CsvSource({"100, 200", "100, 22000", "22000, 100", "22000, 30000", "30000, 22000"})
    void save_ofTheSameNumberAgain_replacesTheSnapshot(int before, int after) {
        create(false);
        TestSnapshotStore store =
                TestSnapshotStore.on(client, table).smallItems().build();
        store.save(snapshot(ID, 1, before));
        store.save(snapshot(ID, 1, after));
        assertThat(store.load(ID)).contains(snapshot(ID, 1, after));
        store.save(snapshot(ID, 2, LARGE));
        TestSnapshotStore.assertNothingIsOrphaned(client, table, ID);
        assertThat(store.load(ID, TestSnapshotStore.upTo(1))).contains(snapshot(ID, 1, after));
    }

    @ParameterizedTest
    @CsvSource({"100, 22000", "22000, 100", "22000, 30000"})
    void save_ofTheSameNumberThatFails_leavesTheOlderOne(int before, int after) {
        create(false);
        TestSnapshotStore store =
                TestSnapshotStore.on(client, table).smallItems().build();
        store.save(snapshot(ID, 1, before));
        String last = after > 10_000 ? "TransactWriteItems" : "PutItem";
        proxy.on(RequestMatch.operation(last), Fault.error(400, "ValidationException", "no"));
        assertThatThrownBy(() -> store.save(snapshot(ID, 1, after))).hasMessageContaining(table);
        proxy.clear();
        assertThat(store.load(ID)).contains(snapshot(ID, 1, before));
        TestSnapshotStore.on(client, table).smallItems().later().build().delete(ID, 77);
        TestSnapshotStore.assertNothingIsOrphaned(client, table, ID);
        assertThat(store.load(ID)).contains(snapshot(ID, 1, before));
    }
}
