package io.varve.store.internal.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.ItemException;
import io.varve.store.KeyException;
import io.varve.store.Slices;
import io.varve.testkit.internal.capacity.ItemBytes;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

class EventItemsTest {
    private static final JournalKeys KEYS = new JournalKeys("journal");
    private static final EventItems PLAIN = new EventItems(KEYS, OptionalInt.empty());

    private static Event event(long number, byte[] bytes, int serializer) {
        return new Event(
                "g",
                number,
                new Payload(SdkBytes.fromByteArray(bytes), serializer, ""),
                "w-uuid",
                "",
                Optional.empty(),
                Set.of(),
                1_700_000_000_000_000L,
                Optional.empty(),
                Optional.empty(),
                false);
    }

    private static AttributeValue bytes(String hex) {
        return AttributeValue.fromB(SdkBytes.fromByteArray(HexFormat.of().parseHex(hex)));
    }

    @Test
    void firstEvent_isTheGoldenItemAndOurOwnAttributes() {
        Map<String, AttributeValue> item = PLAIN.encode(event(1, "hello".getBytes(StandardCharsets.UTF_8), 20));
        assertThat(item)
                .isEqualTo(Map.of(
                        "par", AttributeValue.fromS("journal-P-g-0"),
                        "num", AttributeValue.fromN("1"),
                        "persistence_id", AttributeValue.fromS("g"),
                        "seq", AttributeValue.fromN("1"),
                        "event", bytes("68656c6c6f"),
                        "ev_ser_id", AttributeValue.fromN("20"),
                        "writer_uuid", AttributeValue.fromS("w-uuid"),
                        "ts", AttributeValue.fromN("1700000000000000"),
                        "pid_bucket", AttributeValue.fromS("journal-" + Math.abs("g".hashCode() % 1024) / 64)));
    }

    @Test
    void eventsOfAnAtomicWrite_carryIndexAndLastIndex() {
        Event third = event(4, "x".getBytes(StandardCharsets.UTF_8), 20);
        Map<String, AttributeValue> item = PLAIN.encode(new Event(
                "g",
                4,
                third.payload(),
                "w",
                "",
                Optional.empty(),
                Set.of(),
                1,
                Optional.of(new Event.Batch(2, 2, Optional.empty())),
                Optional.empty(),
                false));
        assertThat(item)
                .containsEntry("idx", AttributeValue.fromN("2"))
                .containsEntry("cnt", AttributeValue.fromN("2"))
                .doesNotContainKeys("batch_id", "pid_bucket", "shard", "tags", "expiry", "ev_ser_manifest", "manifest");
    }

    @Test
    void everythingThatAnEventCanHave_survivesTheRoundTrip() {
        Event full = new Event(
                "Cart|7",
                1234,
                new Payload(SdkBytes.fromUtf8String("body"), 77, "v2"),
                "writer",
                "adapter",
                Optional.of(new Payload(SdkBytes.fromUtf8String("m"), 5, "mm")),
                Set.of("red", "blue"),
                99,
                Optional.of(new Event.Batch(1, 300, Optional.of("id"))),
                Optional.of(Instant.ofEpochSecond(5000)),
                false);
        Map<String, AttributeValue> item = new EventItems(KEYS, OptionalInt.of(64)).encode(full);
        assertThat(EventItems.decode("Cart|7", 12, new Item("table", item))).isEqualTo(full);
        int shard = Math.abs("Cart|7".hashCode() % 1024) / 16;
        assertThat(item)
                .containsEntry("par", AttributeValue.fromS("journal-P-Cart|7-12"))
                .containsEntry("num", AttributeValue.fromN("34"))
                .containsEntry("shard", AttributeValue.fromS("journal-Cart-" + shard))
                .containsEntry("tags", AttributeValue.fromSs(List.of("blue", "red")))
                .containsEntry("expiry", AttributeValue.fromN("5000"));
    }

    @Test
    void itemOfTheOldestFormat_isReadFromItsKeyAndItsOneAttribute() {
        Map<String, AttributeValue> item = Map.of(
                "par", AttributeValue.fromS("journal-P-leg-2"),
                "num", AttributeValue.fromN("5"),
                "pay", bytes("0a08081412046f6c643110011a036c65676a06772d75756964"));
        Event event = EventItems.decode("leg", 2, new Item("table", item));
        assertThat(event.legacy()).isTrue();
        assertThat(event.sequenceNumber()).isEqualTo(205);
        assertThat(event.payload().serializerId()).isEqualTo(7);
    }

    @Test
    void itemWithoutAnEvent_isNamed() {
        Map<String, AttributeValue> item =
                Map.of("par", AttributeValue.fromS("journal-P-p-0"), "num", AttributeValue.fromN("5"));
        assertThatThrownBy(() -> EventItems.decode("p", 0, new Item("table", item)))
                .isInstanceOf(ItemException.class)
                .hasMessageContaining(
                        "The item (par = journal-P-p-0, num = 5) of table 'table' is not as it should be: 'event' is missing");
    }

    @RepeatedTest(50)
    void size_isNeverBelowWhatDynamoDbCounts(RepetitionInfo repetition) {
        Random random = new Random(repetition.getCurrentRepetition());
        byte[] payload = new byte[random.nextInt(5000)];
        random.nextBytes(payload);
        Event event = event(1 + (random.nextLong() >>> 2) % 1_000_000_000L, payload, random.nextInt());
        Map<String, AttributeValue> item = new HashMap<>(new EventItems(KEYS, OptionalInt.of(64)).encode(event));
        item.put("tags", AttributeValue.fromSs(List.of("ä", "tag-" + random.nextInt())));
        int exact = ItemBytes.of(item);
        assertThat(ItemSize.of(item)).isBetween(exact, exact + 30);
    }

    @Test
    void persistenceIds_thatCannotBeKeys_areRefused() {
        assertThatThrownBy(() -> KEYS.check(""))
                .isInstanceOf(KeyException.class)
                .hasMessageContaining("empty");
        KEYS.check("x".repeat(2000));
        assertThatThrownBy(() -> KEYS.check("x".repeat(2030)))
                .isInstanceOf(KeyException.class)
                .hasMessageContaining("2048");
        assertThatThrownBy(() -> KEYS.check("ü".repeat(1100))).isInstanceOf(KeyException.class);
        assertThat(JournalKeys.canBeListed("x".repeat(1024))).isTrue();
        assertThat(JournalKeys.canBeListed("ü".repeat(600))).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"Cart|1, Cart", "plain, ''", "A|b|c, A", "'', ''"})
    void entityType_isWhatStandsBeforeTheFirstBar(String persistenceId, String entityType) {
        assertThat(Slices.entityType(persistenceId)).isEqualTo(entityType);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 3, 100, 2048})
    void numberOfIndexShards_mustDivide1024(int shards) {
        assertThatThrownBy(() -> Slices.checkIndexShards(shards))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is " + shards + ", but must be a divisor of 1024");
    }
}
