package io.varve.store.internal.layout;

import static io.varve.store.internal.layout.Mutations.attributes;
import static io.varve.store.internal.layout.Mutations.item;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.ItemException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Whatever stands in an item of the journal is a value or refused by name. */
class ForeignItemsTest {
    private static final JournalKeys KEYS = new JournalKeys("journal");
    private static final ItemOwner OWNER = new ItemOwner(KEYS);
    private static final String ID = "Cart|7";
    private static final long GROUP = 12;

    private static final Map<String, AttributeValue> EVENT = new EventItems(KEYS, OptionalInt.of(64))
            .encode(new Event(
                    ID,
                    1234,
                    new Payload(SdkBytes.fromUtf8String("body"), 77, "v2"),
                    "writer",
                    "adapter",
                    Optional.of(new Payload(SdkBytes.fromUtf8String("m"), 5, "mm")),
                    Set.of("red", "blue"),
                    99,
                    Optional.of(new Event.Batch(1, 300, Optional.of("id"))),
                    Optional.of(Instant.ofEpochSecond(5000)),
                    false));

    private static final Map<String, AttributeValue> PREDECESSORS_EVENT = attributes(
            "par",
            "journal-P-Cart|7-12",
            "num",
            34,
            "persistence_id",
            ID,
            "seq",
            1234,
            "event",
            new byte[] {1, 2, 3},
            "ev_ser_id",
            77,
            "ev_ser_manifest",
            "v2",
            "writer_uuid",
            "writer",
            "manifest",
            "adapter",
            "idx",
            0,
            "cnt",
            2);

    private static final Map<String, AttributeValue> OLDEST_EVENT =
            attributes("par", "journal-P-Cart|7-12", "num", 34, "pay", new byte[] {1, 2, 3});

    private static void readEvent(Item item) {
        check(EventItems.decode(ID, GROUP, item), item);
    }

    private static void readFromIndex(Item item) {
        OWNER.event(item).ifPresent(event -> check(event, item));
    }

    /** What was read is what stands there: nothing wrapped. */
    private static void check(Event event, Item item) {
        assertThat(event.sequenceNumber()).isBetween(0L, Long.MAX_VALUE - 1_000);
        assertThat(event.sequenceNumber() % 100).isEqualTo(item.number("num", 0, 99));
        assertThat(event.timestamp()).isBetween(0L, 253_402_300_799_999_999L);
        assertThat(event.batchStart()).isBetween(0L, event.sequenceNumber());
        if (!event.legacy()) {
            assertThat(Integer.toString(event.payload().serializerId()))
                    .isEqualTo(item.shown("ev_ser_id").replace("-0", "0"));
        }
        event.metadata()
                .filter(metadata -> item.has("meta_ser_id"))
                .ifPresent(metadata -> assertThat(Integer.toString(metadata.serializerId()))
                        .isEqualTo(item.shown("meta_ser_id").replace("-0", "0")));
    }

    @Test
    void events_areAValueOrRefused() {
        Mutations.check(EVENT, ForeignItemsTest::readEvent);
    }

    @Test
    void eventsOfThePredecessors_areAValueOrRefused() {
        Mutations.check(PREDECESSORS_EVENT, ForeignItemsTest::readEvent);
    }

    @Test
    void eventsOfTheOldestFormat_areAValueOrRefused() {
        Mutations.check(OLDEST_EVENT, ForeignItemsTest::readEvent);
    }

    @Test
    void entriesOfTheSliceIndex_areAValueOrRefused() {
        Mutations.check(EVENT, ForeignItemsTest::readFromIndex);
    }

    @Test
    void entriesOfTheIndexOfEntities_areAValueOrRefused() {
        Map<String, AttributeValue> entry = new HashMap<>(KEYS.eventKey(ID, 1));
        entry.putAll(attributes("pid_bucket", "journal-3", "persistence_id", ID));
        Mutations.check(entry, OWNER::of);
    }

    @Test
    void standIns_areAValueOrRefused() {
        Mutations.check(StandIn.encode(KEYS, ID), OWNER::of);
    }

    @Test
    void meta_isAValueOrRefused() {
        Map<String, AttributeValue> meta = new HashMap<>(new JournalMeta(10, 64).encode(KEYS));
        meta.put("tagged_types", AttributeValue.fromSs(List.of("Cart", "|", "||")));
        Mutations.check(meta, item -> {
            JournalMeta read = JournalMeta.decode(item);
            assertThat(Integer.toString(read.sequenceShards())).isEqualTo(item.shown("sequence_shards"));
            assertThat(Integer.toString(read.indexShards())).isEqualTo(item.shown("index_shards"));
        });
    }

    @ParameterizedTest
    @CsvSource({
        "sequence_shards, 0",
        "sequence_shards, -1",
        "sequence_shards, 10001",
        "sequence_shards, 4294967296",
        "index_shards, 0",
        "index_shards, -64",
        "index_shards, 3",
        "index_shards, 2048",
        "index_shards, 4294967360",
        "format, 0",
        "format, -1",
        "format, 18446744073709551617"
    })
    void shardsOfMeta_thatCannotBe_areAnErrorThatNamesTheItem(String attribute, String number) {
        Map<String, AttributeValue> meta = new HashMap<>(new JournalMeta(10, 64).encode(KEYS));
        meta.put(attribute, AttributeValue.fromN(number));
        assertThatThrownBy(() -> JournalMeta.decode(item(meta)))
                .isInstanceOf(ItemException.class)
                .hasMessageStartingWith(
                        "The item (par = journal-META, num = 0) of table 'the-table' is not as it should" + " be: '"
                                + attribute + "' is " + number + ", but must be");
    }

    @Test
    void newerFormat_isNamed() {
        Map<String, AttributeValue> meta = new HashMap<>(new JournalMeta(10, 64).encode(KEYS));
        meta.put("format", AttributeValue.fromN("2"));
        assertThatThrownBy(() -> JournalMeta.decode(item(meta)))
                .isInstanceOf(ItemException.class)
                .hasMessageContaining("journal-META")
                .hasMessageContaining("format 2, and this version of Varve knows 1: update Varve on this node.");
    }

    @ParameterizedTest
    @CsvSource({
        "num, 35, seq", "num, 100, num", "num, -1, num", "seq, 1235, seq", "seq, 34, seq",
        "idx, 301, idx", "idx, -1, idx", "cnt, 0, idx", "cnt, 4294967296, cnt", "ts, -1, ts",
        "ts, 253402300800000000, ts"
    })
    void whatDoesNotAgree_isAnError(String attribute, String number, String named) {
        Map<String, AttributeValue> event = new HashMap<>(EVENT);
        event.put(attribute, AttributeValue.fromN(number));
        assertThatThrownBy(() -> readEvent(item(event)))
                .isInstanceOf(ItemException.class)
                .hasMessageContaining("is not as it should be: '" + named + "'");
        assertThatThrownBy(() -> readFromIndex(item(event)))
                .isInstanceOf(ItemException.class)
                .hasMessageContaining("is not as it should be: '" + named + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"idx", "cnt"})
    void halfAPlaceInAnAtomicWrite_isAnError(String attribute) {
        Map<String, AttributeValue> event = new HashMap<>(EVENT);
        event.remove(attribute);
        assertThatThrownBy(() -> readEvent(item(event)))
                .isInstanceOf(ItemException.class)
                .hasMessageContaining("'" + attribute + "' is missing");
    }

    @Test
    void indexThatReachesBeforeTheFirstEvent_isAnError() {
        Map<String, AttributeValue> event = new HashMap<>(PREDECESSORS_EVENT);
        event.putAll(attributes("par", "journal-P-Cart|7-0", "num", 4, "seq", 4, "idx", 5, "cnt", 5));
        assertThatThrownBy(() -> EventItems.decode(ID, 0, item(event)))
                .isInstanceOf(ItemException.class)
                .hasMessageContaining("'idx' is 5, more than the number of 'par' and 'num', which is 4");
    }

    @ParameterizedTest
    @ValueSource(strings = {"13", "012", "92233720368547759", "99999999999999999999"})
    void groupOfAKey_thatContradictsTheEvent_isAnErrorInTheIndex(String group) {
        Map<String, AttributeValue> event = new HashMap<>(EVENT);
        event.put("par", AttributeValue.fromS("journal-P-Cart|7-" + group));
        assertThatThrownBy(() -> readFromIndex(item(event))).isInstanceOf(ItemException.class);
    }
}
