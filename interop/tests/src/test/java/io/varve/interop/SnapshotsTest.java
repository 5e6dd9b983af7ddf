package io.varve.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.interop.peer.JournalDriver;
import io.varve.interop.peer.JournalDriverException;
import io.varve.interop.peer.StoredSnapshot;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;

/** Snapshots that go from the predecessor to Varve and back, in both kinds of tables. */
@DynamoDBTest
final class SnapshotsTest {

    private static final String ID = "cart|1";
    private static final long ANY = Long.MAX_VALUE;

    private final DynamoDBLocal local;
    private final DynamoDbAsyncClient client;

    SnapshotsTest(DynamoDBLocal local, DynamoDbAsyncClient client) {
        this.local = local;
        this.client = client;
    }

    private SnapshotTable table(ProjectionType projection) {
        return SnapshotTable.create(local, client, projection);
    }

    private static void assertLoaded(Optional<StoredSnapshot> actual, long sequenceNumber, String payload) {
        assertThat(actual).isPresent();
        assertThat(actual.get().sequenceNumber()).isEqualTo(sequenceNumber);
        assertThat(actual.get().payload().equals(payload))
                .as("the payload is the same")
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({"VARVE, KEYS_ONLY", "VARVE, ALL", "PREDECESSOR, KEYS_ONLY", "PREDECESSOR, ALL"})
    void snapshots_areLoadedAndDeletedByTheOther(Side first, ProjectionType projection) {
        SnapshotTable table = table(projection);
        try (JournalDriver one = first.open(table);
                JournalDriver other = first.other().open(table)) {
            assertThat(other.loadSnapshot(ID)).isEmpty();
            one.saveSnapshot(ID, 5, "five");
            one.saveSnapshot(ID, 10, "int:10");
            one.saveSnapshot(ID, 15, "bytes:00ff15");
            one.saveSnapshot(ID, 20, "twenty");
            assertLoaded(other.loadSnapshot(ID), 20, "twenty");
            assertLoaded(other.loadSnapshot(ID, 19, ANY), 15, "bytes:00ff15");
            long timeOfTen = one.loadSnapshot(ID, 10, ANY).orElseThrow().timestamp();
            assertLoaded(other.loadSnapshot(ID, ANY, timeOfTen), 10, "int:10");
            assertThat(other.loadSnapshot(ID, 4, ANY)).isEmpty();

            other.deleteSnapshot(ID, 20);
            assertLoaded(one.loadSnapshot(ID), 15, "bytes:00ff15");
            other.saveSnapshot(ID, 15, "again");
            other.saveSnapshot(ID, 25, "twenty-five");
            assertLoaded(one.loadSnapshot(ID), 25, "twenty-five");
            assertLoaded(one.loadSnapshot(ID, 24, ANY), 15, "again");
            other.deleteSnapshots(ID, 10, ANY);
            assertThat(one.loadSnapshot(ID, 10, ANY)).isEmpty();
            one.deleteSnapshots(ID, ANY, ANY);
            assertThat(other.loadSnapshot(ID)).isEmpty();
            assertThat(table.items()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(Side.class)
    void snapshots_areTheGoldenItems(Side writer) {
        SnapshotTable table = table(ProjectionType.ALL);
        try (JournalDriver node = writer.open(table)) {
            node.saveSnapshot("g", 1, "hello");
            node.saveSnapshot("g", 2, "int:42");
            node.saveSnapshot("g", 3, "bytes:00ff10");
        }
        assertThat(withoutTime(table))
                .isEqualTo(Map.of(
                        "journal-P-g/1", item(1, "68656c6c6f", 20),
                        "journal-P-g/2", item(2, "2a000000", 19),
                        "journal-P-g/3", item(3, "00ff10", 4)));
    }

    /** The items without their times, which are now, in milliseconds. */
    private static Map<String, Map<String, AttributeValue>> withoutTime(SnapshotTable table) {
        Map<String, Map<String, AttributeValue>> items = new TreeMap<>();
        table.items().forEach((name, item) -> {
            Map<String, AttributeValue> rest = new HashMap<>(item);
            rest.remove("ts");
            assertThat(Long.parseLong(JournalTable.value(item, "ts").n()))
                    .as("time of %s", name)
                    .isBetween(System.currentTimeMillis() - 600_000, System.currentTimeMillis() + 600_000);
            items.put(name, rest);
        });
        return items;
    }

    private static Map<String, AttributeValue> item(long sequenceNumber, String bytes, int serializer) {
        Map<String, AttributeValue> item = new HashMap<>();
        item.put("par", AttributeValue.fromS("journal-P-g"));
        item.put("seq", number(sequenceNumber));
        item.put("pay_data", binary(bytes));
        item.put("ser_id", number(serializer));
        return item;
    }

    @ParameterizedTest
    @EnumSource(Side.class)
    void snapshotInTheOldestFormat_isLoadedByBoth(Side reader) {
        SnapshotTable table = table(ProjectionType.ALL);
        table.put(Map.of(
                "par", AttributeValue.fromS("journal-P-" + ID),
                "seq", number(3),
                "ts", number(1_003),
                "pay", binary("04000000" + "14000000" + "6f6c64736e6170")));
        try (JournalDriver node = reader.open(table)) {
            assertLoaded(node.loadSnapshot(ID), 3, "oldsnap");
        }
    }

    /** What is too large for an item is nothing that a predecessor could have saved; it goes on from an older one, or not at all. */
    @Test
    void snapshotInParts_isRefusedByThePredecessorAndWhatItLeavesOfItIsRemoved() {
        SnapshotTable table = table(ProjectionType.KEYS_ONLY);
        String large = "x".repeat(500_000);
        try (JournalDriver varve = Side.VARVE.open(table);
                JournalDriver predecessor = Side.PREDECESSOR.open(table)) {
            varve.saveSnapshot(ID, 1, "one");
            varve.saveSnapshot(ID, 2, large);
            assertLoaded(varve.loadSnapshot(ID), 2, large);
            assertThatThrownBy(() -> predecessor.loadSnapshot(ID)).isInstanceOf(JournalDriverException.class);
            predecessor.deleteSnapshot(ID, 2);
            assertLoaded(predecessor.loadSnapshot(ID), 1, "one");
            assertLoaded(varve.loadSnapshot(ID), 1, "one");
            assertThat(table.items())
                    .as("one, and the entry and the parts of the other")
                    .hasSize(1 + 1 + 2);
            varve.deleteSnapshot(ID, 77);
            assertThat(table.items()).containsOnlyKeys("journal-P-" + ID + "/1");
        }
    }

    private static AttributeValue number(long value) {
        return AttributeValue.fromN(Long.toString(value));
    }

    private static AttributeValue binary(String hex) {
        return AttributeValue.fromB(SdkBytes.fromByteArray(HexFormat.of().parseHex(hex)));
    }
}
