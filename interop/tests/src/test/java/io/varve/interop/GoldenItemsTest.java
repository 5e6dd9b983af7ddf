package io.varve.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.interop.peer.JournalDriver;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The bytes in the table: those of the storage format, and the same ones whoever wrote them. */
@DynamoDBTest
final class GoldenItemsTest {

    /** What Varve adds to events. The predecessor never reads these. */
    private static final Set<String> ADDED_TO_EVENTS = Set.of(
            "ts", "shard", "tags", "meta", "meta_ser_id", "meta_ser_manifest", "pid_bucket", "expiry", "batch_id");

    /** What Varve adds to low marks. The predecessor reads nothing of a mark but its number. */
    private static final Set<String> ADDED_TO_LOW_MARKS = Set.of("ts", "del_from");

    private final DynamoDBLocal local;
    private final DynamoDbAsyncClient client;

    GoldenItemsTest(DynamoDBLocal local, DynamoDbAsyncClient client) {
        this.local = local;
        this.client = client;
    }

    @ParameterizedTest
    @EnumSource(Side.class)
    void events_areTheGoldenItems(Side writer) {
        JournalTable table = JournalTable.ofVarve(local, client);
        try (JournalDriver node = writer.open(table)) {
            node.recover("g");
            node.persist("g", "hello");
            node.persistAll("g", List.of("two", "three", "four"));
            node.persist("g", "bytes:00ff10");
            node.persist("g", "int:42");
        }

        assertThat(comparable(table))
                .isEqualTo(Map.of(
                        "journal-P-g-0/1", event(1, "68656c6c6f", 20, Map.of()),
                        "journal-P-g-0/2", event(2, "74776f", 20, batch(0, 2)),
                        "journal-P-g-0/3", event(3, "7468726565", 20, batch(1, 2)),
                        "journal-P-g-0/4", event(4, "666f7572", 20, batch(2, 2)),
                        "journal-P-g-0/5", event(5, "00ff10", 4, Map.of()),
                        "journal-P-g-0/6", event(6, "2a000000", 19, Map.of())));
    }

    @ParameterizedTest
    @EnumSource(Side.class)
    void marks_areTheGoldenItems(Side writer) {
        JournalTable table = JournalTable.ofPredecessor(local, client);
        try (JournalDriver node = writer.open(table)) {
            CheckedEntity.on(node, "g")
                    .persistTo(98)
                    .persistBatchTo(101)
                    .persistTo(200)
                    .deleteTo(150)
                    .deleteTo(200);
        }

        assertThat(comparable(table))
                .isEqualTo(Map.of(
                        "journal-SH-g-1/0", mark("journal-SH-g-1", 100),
                        "journal-SH-g-2/0", mark("journal-SH-g-2", 200),
                        "journal-SL-g-1/0", mark("journal-SL-g-1", 151),
                        "journal-SL-g-2/0", mark("journal-SL-g-2", 201)));
    }

    /** Batches here cross one border at most: of two in one batch the predecessor marks only the second. */
    @Test
    void bothSides_writeTheSameItems() {
        assertThat(comparable(writtenBy(Side.VARVE))).isEqualTo(comparable(writtenBy(Side.PREDECESSOR)));
    }

    private JournalTable writtenBy(Side side) {
        JournalTable table = JournalTable.ofVarve(local, client);
        try (JournalDriver node = side.open(table)) {
            CheckedEntity.on(node, "same|entity")
                    .persistTo(97)
                    .persistBatchTo(104)
                    .rejectNext()
                    .persistTo(150)
                    .persistBatchTo(199)
                    .persistBatchTo(202)
                    .moveTo(node)
                    .persistTo(210)
                    .deleteTo(150)
                    .persistTo(212);
        }
        return table;
    }

    /** The items without what Varve adds and without the writers' names, which differ from run to run. */
    private static Map<String, Map<String, AttributeValue>> comparable(JournalTable table) {
        Map<String, Map<String, AttributeValue>> items = new TreeMap<>();
        table.items().forEach((name, item) -> {
            Map<String, AttributeValue> rest = new HashMap<>(item);
            rest.keySet().removeAll(addedByVarve(name));
            rest.computeIfPresent("writer_uuid", (key, writer) -> {
                assertThat(writer.s()).as("writer of %s", name).isNotBlank();
                return AttributeValue.fromS("writer");
            });
            items.put(name, rest);
        });
        items.keySet().removeIf(name -> name.equals("journal-META/0") || name.startsWith("journal-ID-"));
        return items;
    }

    private static Set<String> addedByVarve(String itemName) {
        if (itemName.startsWith("journal-P-")) {
            return ADDED_TO_EVENTS;
        }
        return itemName.startsWith("journal-SL-") ? ADDED_TO_LOW_MARKS : Set.of();
    }

    private static Map<String, AttributeValue> event(
            long sequenceNumber, String bytes, int serializer, Map<String, AttributeValue> batch) {
        Map<String, AttributeValue> item = new HashMap<>(batch);
        item.put("par", AttributeValue.fromS("journal-P-g-0"));
        item.put("num", number(sequenceNumber));
        item.put("persistence_id", AttributeValue.fromS("g"));
        item.put("seq", number(sequenceNumber));
        item.put(
                "event",
                AttributeValue.fromB(SdkBytes.fromByteArray(HexFormat.of().parseHex(bytes))));
        item.put("ev_ser_id", number(serializer));
        item.put("writer_uuid", AttributeValue.fromS("writer"));
        return item;
    }

    private static Map<String, AttributeValue> batch(long index, long lastIndex) {
        return Map.of("idx", number(index), "cnt", number(lastIndex));
    }

    private static Map<String, AttributeValue> mark(String key, long sequenceNumber) {
        return Map.of("par", AttributeValue.fromS(key), "num", number(0), "seq", number(sequenceNumber));
    }

    private static AttributeValue number(long value) {
        return AttributeValue.fromN(Long.toString(value));
    }
}
