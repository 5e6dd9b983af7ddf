package io.varve.store.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.ItemException;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.Item;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Timestamps increase, whatever stands before them and whatever the clocks say. */
@ExtendWith(JournalFixture.Extension.class)
class TimestampsTest {
    private static final String ID = "cart|1";

    private final JournalFixture journal;

    TimestampsTest(JournalFixture journal) {
        this.journal = journal;
    }

    private TestStore node(String time) {
        return journal.directNode()
                .shards(OptionalInt.of(10))
                .clock(() -> Instant.parse(time))
                .build();
    }

    private TestStore ahead() {
        return node("2030-01-01T00:00:00Z");
    }

    private TestStore behind() {
        return node("2001-01-01T00:00:00Z");
    }

    /** Events as a predecessor stores them. */
    private void withoutTimestamps(long first, long last) {
        for (long n = first; n <= last; n++) {
            Map<String, AttributeValue> key = TestStore.KEYS.eventKey(ID, n);
            journal.direct()
                    .updateItem(r -> r.tableName(journal.table()).key(key).updateExpression("REMOVE ts"))
                    .join();
        }
    }

    private void assertIncreasing() {
        List<Long> timestamps = behind().recover(ID).stream()
                .map(Event::timestamp)
                .filter(timestamp -> timestamp > 0)
                .toList();
        assertThat(timestamps).isSorted().doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @CsvSource({
        "5,5,0",
        "5,2,0",
        "5,5,5",
        "90,85,0",
        "90,85,90",
        "150,147,0",
        "150,147,150",
        "1250,1248,0",
        "100,100,0",
        "205,200,0",
        "205,195,205"
    })
    void afterEventsOfAPredecessor_theyIncrease(long last, long firstOfPredecessor, long hint) {
        ahead().fill(ID, 1, last);
        withoutTimestamps(firstOfPredecessor, last);
        TestStore next = behind();
        next.highest(ID, hint);
        next.append(ID, last + 1, last + 1);
        assertIncreasing();
    }

    @Test
    void afterEventsOfAPredecessor_theyIncreaseWithoutARecovery() {
        ahead().fill(ID, 1, 150);
        withoutTimestamps(147, 150);
        behind().append(ID, 151, 151);
        assertIncreasing();
    }

    @Test
    void lastTimestampOfAll_leavesRoomForNoMore_andTheWriteSaysSo() {
        TestStore store = ahead();
        store.append(ID, 1, 1);
        journal.items(ID).set(1, "ts", AttributeValue.fromN(Long.toString(Item.LAST_TIMESTAMP - 2)));
        TestStore next = ahead();
        assertThat(next.highest(ID)).isEqualTo(1);
        next.append(ID, 2, 3);
        assertThatThrownBy(() -> next.append(ID, 4, 4))
                .isInstanceOf(ItemException.class)
                .hasMessageContaining(
                        "Event 4 of 'cart|1' was not written: its timestamp would be after the year 9999");
        assertThat(ahead().recoveredNumbers(ID)).containsExactly(1L, 2L, 3L);
    }

    /** The predecessor's mark is higher, in another shard, and has no timestamp. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void afterALowMarkOfAPredecessor_theyIncrease(boolean eventsLeft) {
        TestStore first = ahead();
        first.fill(ID, 1, 150);
        first.delete(ID, 50);
        Map<String, AttributeValue> mark = new HashMap<>(TestStore.KEYS.lowKey(ID, 1));
        mark.put("seq", AttributeValue.fromN(eventsLeft ? "150" : "151"));
        journal.put(mark);
        journal.items(ID).take(1, eventsLeft ? 149 : 150);
        if (eventsLeft) {
            withoutTimestamps(150, 150);
        }
        TestStore next = behind();
        assertThat(next.highest(ID)).isEqualTo(150);
        next.append(ID, 151, 151);
        assertThat(next.recover(ID).stream().mapToLong(Event::timestamp).max().orElseThrow())
                .isGreaterThan(Instant.parse("2030-01-01T00:00:00Z").getEpochSecond() * 1_000_000 + 100);
    }
}
