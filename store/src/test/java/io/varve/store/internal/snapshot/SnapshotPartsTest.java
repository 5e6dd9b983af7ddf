package io.varve.store.internal.snapshot;

import static io.varve.store.internal.snapshot.TestSnapshotStore.LARGE;
import static io.varve.store.internal.snapshot.TestSnapshotStore.snapshot;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.SnapshotException;
import io.varve.store.internal.layout.SnapshotKeys;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.WriteLimit;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The parts of a snapshot: where they are, what damage is noticed, and parts as earlier versions wrote them. */
@ExtendWith(SnapshotFixture.Extension.class)
class SnapshotPartsTest {
    private static final String ID = "cart|1";
    private static final String LIST = TestSnapshotStore.KEYS.partListPartition(ID);

    private final FaultProxy proxy;
    private final DynamoDbAsyncClient client;
    private final String table;

    SnapshotPartsTest(SnapshotFixture snapshots) {
        this.proxy = snapshots.proxy();
        this.client = snapshots.client();
        this.table = snapshots.table();
    }

    private TestSnapshotStore node() {
        return TestSnapshotStore.on(client, table).smallItems().build();
    }

    private Optional<Long> older() {
        return TestSnapshotStore.await(node().store()
                .load(
                        ID,
                        TestSnapshotStore.ALL,
                        true,
                        snapshot -> CompletableFuture.completedFuture(snapshot.sequenceNumber())));
    }

    private void put(Map<String, AttributeValue> item) {
        client.putItem(r -> r.tableName(table).item(item)).join();
    }

    private Map<String, AttributeValue> get(Map<String, AttributeValue> key) {
        return client.getItem(r -> r.tableName(table).key(key).consistentRead(true))
                .join()
                .item();
    }

    private static AttributeValue number(long value) {
        return AttributeValue.fromN(Long.toString(value));
    }

    private static AttributeValue binary(byte... bytes) {
        return AttributeValue.fromB(SdkBytes.fromByteArray(bytes));
    }

    @Test
    void save_ofTwentyMegabytes_asksNoPartitionKeyForMoreThanItTakesInASecond() {
        proxy.recording(false);
        WriteLimit limit = WriteLimit.perSecond(1000).clock(InstantSource.fixed(Instant.EPOCH));
        proxy.on(RequestMatch.any(), limit.fault());
        Snapshot large = snapshot(ID, 1, 20 * 1024 * 1024 - 10_000);
        TestSnapshotStore store = TestSnapshotStore.on(client, table).build();
        store.save(large);
        assertThat(limit.throttled()).isZero();
        assertThat(store.load(ID).orElseThrow().equals(large)).as("equal").isTrue();
    }

    @Test
    void parts_areUnderKeysOfTheirOwn_withLengthAndChecksum() {
        node().save(snapshot(ID, 1, LARGE));
        Map<String, AttributeValue> head = get(TestSnapshotStore.KEYS.key(ID, 1));
        assertThat(head)
                .containsEntry("parts", number(5))
                .containsEntry("part_form", number(2))
                .containsEntry("part_bytes", number(LARGE));
        Map<String, AttributeValue> last =
                get(SnapshotKeys.itemKey(TestSnapshotStore.text(head, "part_key") + "-4", 4));
        assertThat(last).containsEntry("len", number(2_000)).containsKeys("data", "crc");
    }

    /** What is done to a part, and what is said of it. */
    private record Damage(String name, String attribute, AttributeValue value, String said) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Damage> damages() {
        return Stream.of(
                new Damage("other bytes", "data", binary(new byte[5_000]), "does not match its checksum 'crc'"),
                new Damage("fewer bytes", "data", binary((byte) 1), "has 1 bytes where 'len' says 5000"),
                new Damage("no bytes", "data", AttributeValue.fromNul(true), "'data' is"),
                new Damage("text for bytes", "data", AttributeValue.fromS("text"), "'data' is a string"),
                new Damage("wrong length", "len", number(4_999), "has 5000 bytes where 'len' says 4999"),
                new Damage("huge length", "len", AttributeValue.fromN("1E30"), "'len' is 1"),
                new Damage("no length", "len", AttributeValue.fromS(""), "'len' is a string"),
                new Damage("wrong checksum", "crc", number(1), "does not match its checksum 'crc'"),
                new Damage("negative checksum", "crc", number(-1), "'crc' is -1"));
    }

    @ParameterizedTest
    @MethodSource("damages")
    void load_whenAPartIsDamaged_saysSo_andGoesBackIfAskedTo(Damage damage) {
        node().save(snapshot(ID, 1, 10));
        node().save(snapshot(ID, 2, LARGE));
        String key = TestSnapshotStore.text(get(TestSnapshotStore.KEYS.key(ID, 2)), "part_key");
        Map<String, AttributeValue> part = new HashMap<>(get(SnapshotKeys.partKey(key, 3)));
        part.put(damage.attribute(), damage.value());
        put(part);
        assertThatThrownBy(() -> node().load(ID))
                .isInstanceOf(SnapshotException.class)
                .hasMessageContaining("snapshot 2 of 'cart|1'")
                .hasMessageContaining(table)
                .hasMessageContaining(key + "-3")
                .hasMessageContaining(damage.said())
                .hasMessageContaining("load-older-on-failure");
        assertThat(older()).contains(1L);
    }

    @Test
    void load_whenTheHeadNamesFewerParts_saysSo() {
        node().save(snapshot(ID, 1, 10));
        node().save(snapshot(ID, 2, LARGE));
        Map<String, AttributeValue> head = new HashMap<>(get(TestSnapshotStore.KEYS.key(ID, 2)));
        head.put("parts", number(4));
        put(head);
        assertThatThrownBy(() -> node().load(ID))
                .isInstanceOf(SnapshotException.class)
                .hasMessageContaining("snapshot 2 of 'cart|1' is damaged: its parts have 20000 bytes instead of 22000");
        assertThat(older()).contains(1L);
    }

    /** Saves as the first versions did: all parts under one key, with nothing but their bytes. */
    private void saveInTheFirstForm(long sequenceNumber, long save, byte[] bytes) {
        String key = LIST + "-" + sequenceNumber + "-" + save;
        Map<String, AttributeValue> entry = new HashMap<>(SnapshotKeys.itemKey(LIST, save));
        entry.put("of_seq", number(sequenceNumber));
        entry.put("parts", number(3));
        put(entry);
        for (int index = 0; index < 3; index++) {
            Map<String, AttributeValue> part = new HashMap<>(SnapshotKeys.itemKey(key, index));
            part.put("data", binary(Arrays.copyOfRange(bytes, index * 4, Math.min(bytes.length, index * 4 + 4))));
            put(part);
        }
        Map<String, AttributeValue> head = new HashMap<>(TestSnapshotStore.KEYS.key(ID, sequenceNumber));
        head.putAll(Map.of("ts", number(7), "ser_id", number(20), "part_key", AttributeValue.fromS(key)));
        head.put("parts", number(3));
        put(head);
    }

    @Test
    void partsOfTheFirstForm_areLoadedAndRemoved() {
        saveInTheFirstForm(1, 123, "0123456789".getBytes(StandardCharsets.US_ASCII));
        saveInTheFirstForm(2, 124, "abcdefghij".getBytes(StandardCharsets.US_ASCII));
        assertThat(node().load(ID).map(snapshot -> snapshot.payload().bytes().asUtf8String()))
                .contains("abcdefghij");
        node().save(snapshot(ID, 2, LARGE));
        assertThat(node().load(ID, TestSnapshotStore.upTo(1))
                        .map(snapshot -> snapshot.payload().bytes().asUtf8String()))
                .contains("0123456789");
        node().delete(ID, 1);
        TestSnapshotStore.assertNothingIsOrphaned(client, table, ID);
        node().delete(ID, 2);
        assertThat(TestSnapshotStore.scan(client, table)).isEmpty();
    }

    @Test
    void partsOfAFormThatIsNotKnown_areNotTouched() {
        node().save(snapshot(ID, 1, LARGE));
        for (Map<String, AttributeValue> item : TestSnapshotStore.scan(client, table)) {
            if (item.containsKey("part_form")) {
                Map<String, AttributeValue> newer = new HashMap<>(item);
                newer.put("part_form", number(3));
                put(newer);
            }
        }
        assertThatThrownBy(() -> node().load(ID))
                .isInstanceOf(SnapshotException.class)
                .hasMessageContaining("update Varve on this node");
        node().delete(ID, 1);
        assertThat(TestSnapshotStore.scan(client, table))
                .as("the head is gone; the entry and the parts are left to a version that knows them")
                .hasSize(1 + 5);
    }

    @Test
    void entriesThatAreNotAsTheyShouldBe_doNotStopADelete() {
        node().save(snapshot(ID, 1, LARGE));
        List<Map<String, AttributeValue>> foreign = List.of(
                Map.of("of_seq", number(1), "parts", number(1_000_000), "part_form", number(2)),
                Map.of("of_seq", number(1), "parts", AttributeValue.fromN("1E100")),
                Map.of("of_seq", number(1)),
                Map.of("of_seq", AttributeValue.fromS("one"), "parts", number(1)),
                Map.of("of_seq", number(-1), "parts", number(1)),
                Map.of("of_seq", number(1), "parts", number(1), "doomed", number(1)),
                Map.of("of_seq", number(1), "parts", number(1), "writing_until", AttributeValue.fromN("1E30")),
                Map.of("data", binary((byte) 1)));
        for (int entry = 0; entry < foreign.size(); entry++) {
            Map<String, AttributeValue> item = new HashMap<>(SnapshotKeys.itemKey(LIST, 1 + entry));
            item.putAll(foreign.get(entry));
            put(item);
        }
        Map<String, AttributeValue> fraction = new HashMap<>(SnapshotKeys.itemKey(LIST, 0));
        fraction.putAll(Map.of("seq", AttributeValue.fromN("1.5"), "of_seq", number(1), "parts", number(1)));
        put(fraction);
        proxy.requests().clear();
        node().delete(ID, 1);
        assertThat(proxy.requests().operations())
                .containsExactly(
                        "DeleteItem",
                        "DeleteItem",
                        "Query",
                        "TransactWriteItems(2)",
                        "BatchWriteItem(5)",
                        "BatchWriteItem(1)");
        assertThat(TestSnapshotStore.scan(client, table))
                .as("the snapshot is gone, and what is not ours is as it was")
                .hasSize(foreign.size() + 1)
                .allMatch(item -> Objects.equals(item.get("par"), AttributeValue.fromS(LIST)));
    }

    @Test
    void entryThatIsAlreadyDoomed_costsNothingUntilItsTimeHasPassed() {
        Map<String, AttributeValue> entry = new HashMap<>(SnapshotKeys.itemKey(LIST, 5));
        entry.putAll(Map.of(
                "of_seq", number(1),
                "parts", number(2),
                "part_form", number(2),
                "doomed", AttributeValue.fromBool(true),
                "writing_until", number(Instant.now().plusSeconds(600).toEpochMilli())));
        put(entry);
        proxy.requests().clear();
        node().delete(ID, 1);
        assertThat(proxy.requests().operations()).containsExactly("DeleteItem", "Query");
        TestSnapshotStore.on(client, table).smallItems().later().build().delete(ID, 1);
        assertThat(TestSnapshotStore.scan(client, table)).isEmpty();
    }
}
