package io.varve.store.internal.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

class ItemOwnerTest {
    private static final JournalKeys KEYS = new JournalKeys("a");
    private static final ItemOwner OWNER = new ItemOwner(KEYS);

    private static Optional<String> owner(Map<String, AttributeValue> item) {
        return OWNER.of(new Item("journal", item));
    }

    private static Map<String, AttributeValue> with(
            Map<String, AttributeValue> item, String attribute, AttributeValue value) {
        Map<String, AttributeValue> more = new HashMap<>(item);
        more.put(attribute, value);
        return more;
    }

    private static Map<String, AttributeValue> event(String journalName, String persistenceId, long sequenceNumber) {
        return with(
                new JournalKeys(journalName).eventKey(persistenceId, sequenceNumber),
                "persistence_id",
                AttributeValue.fromS(persistenceId));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x",
                "x-1",
                "x-1-0",
                "Cart|7",
                "a b",
                "ünï ✓ 𝄞",
                "P-x",
                "b-P-x",
                "SL-x-0",
                "ID-x",
                "-",
                "--",
                "0",
                "|"
            })
    void eventsLowMarksAndStandIns_belongToTheirEntity(String id) {
        assertThat(owner(event("a", id, 1))).contains(id);
        assertThat(owner(event("a", id, 100_000))).contains(id);
        assertThat(owner(KEYS.eventKey(id, 205))).as("the oldest format").contains(id);
        assertThat(owner(with(KEYS.lowKey(id, 7), "seq", AttributeValue.fromN("5"))))
                .contains(id);
        assertThat(owner(StandIn.encode(KEYS, id))).contains(id);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a-P", "a-P-b", "a-SL", "a-ID", "a-1", "aa", "b", "a-P-P", "a-META"})
    void itemsOfAnotherJournalName_doNotBelong(String journalName) {
        JournalKeys other = new JournalKeys(journalName);
        assertThat(owner(event(journalName, "x", 1))).isEmpty();
        assertThat(owner(event(journalName, "x-1", 250))).isEmpty();
        assertThat(owner(StandIn.encode(other, "x"))).isEmpty();
        assertThat(owner(new JournalMeta(1, 64).encode(other))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a-P", "a-P-b", "a-ID", "a-1"})
    void highMarks_belongToNobody(String journalName) {
        Map<String, AttributeValue> key = new JournalKeys(journalName).highKey("x", 0);
        assertThat(owner(with(key, "seq", AttributeValue.fromN("100")))).isEmpty();
    }

    @Test
    void keysThatAreTheSameInTwoJournals_areToldApartByTheIdAlone() {
        Map<String, AttributeValue> key = new JournalKeys("a-P-b").eventKey("x", 1);
        assertThat(key).isEqualTo(KEYS.eventKey("b-P-x", 1));
        assertThat(owner(with(key, "persistence_id", AttributeValue.fromS("x"))))
                .isEmpty();
        assertThat(owner(with(key, "persistence_id", AttributeValue.fromS("b-P-x"))))
                .contains("b-P-x");
        assertThat(owner(key)).as("cannot be known").contains("b-P-x");
        assertThat(owner(with(new JournalKeys("a-SL").highKey("x", 0), "seq", AttributeValue.fromN("100"))))
                .as("cannot be known either")
                .contains("SH-x");
    }

    @Test
    void eventWhoseNumberAnIndexProjectsWithoutItsId_isNoMark() {
        assertThat(owner(with(KEYS.eventKey("x", 1), "seq", AttributeValue.fromN("1"))))
                .contains("x");
    }

    @ParameterizedTest
    @CsvSource({"a-META", "a-P-", "a-P-x", "a-P--0", "a-P-x-", "a-P-x-1x", "a-SH-x-0", "other", "''"})
    void anythingElse_belongsToNobody(String partition) {
        assertThat(owner(Map.of("par", AttributeValue.fromS(partition)))).isEmpty();
        assertThat(owner(Map.of())).isEmpty();
    }

    @Test
    void buckets_ofTwoJournalNamesAreNeverTheSame() {
        assertThat(IntStream.range(0, JournalKeys.BUCKETS)
                        .mapToObj(KEYS::bucket)
                        .filter(bucket -> IntStream.range(0, JournalKeys.BUCKETS)
                                .mapToObj(new JournalKeys("a-1")::bucket)
                                .anyMatch(bucket::equals)))
                .isEmpty();
        assertThat(KEYS.bucket(12)).isEqualTo("a-12");
        assertThat(new JournalKeys("a-1").bucket(2)).isEqualTo("a-1-2");
    }

    @Test
    void bucket_isTheOneOfTheFirstEvent() {
        assertThat(KEYS.bucket("g")).isEqualTo("a-1").isEqualTo(KEYS.bucket(JournalKeys.bucketNumber("g")));
    }
}
