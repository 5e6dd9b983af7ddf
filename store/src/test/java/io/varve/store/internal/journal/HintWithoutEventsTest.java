package io.varve.store.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.WriterConflictException;
import io.varve.store.internal.layout.Event;
import io.varve.testkit.FaultProxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A recovery from a snapshot at whose number no event is stored, nor after it. */
@ExtendWith(JournalFixture.Extension.class)
class HintWithoutEventsTest {
    private static final String ID = "cart|1";

    private final JournalFixture journal;
    private final FaultProxy proxy;

    HintWithoutEventsTest(JournalFixture journal) {
        this.journal = journal;
        this.proxy = journal.proxy();
    }

    private TestStore elsewhere() {
        return journal.directNode().build();
    }

    private TestStore node() {
        return journal.warm(journal.node().clock(() -> Instant.parse("2001-01-01T00:00:00Z")));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 99, 100, 350, 100_000, 4_000_000_000L})
    void eventsThatAreGoneWithoutAMark_theHintCounts_withFewRequests(long hint) {
        TestStore store = node();
        assertThat(store.highest(ID, hint)).isEqualTo(hint);
        assertThat(proxy.requests().requests()).hasSizeLessThanOrEqualTo(9);
        store.append(ID, hint + 1, hint + 1);
        assertThat(journal.item(TestStore.KEYS.standInKey(ID)))
                .as("the entity is listed")
                .isNotEmpty();
        assertThat(elsewhere().highest(ID)).isEqualTo(hint + 1);
    }

    @Test
    void highMarkOfLongAgo_costsFewRequestsToo() {
        elsewhere().fill(ID, 1, 520);
        journal.items(ID).take(1, 520);
        TestStore store = node();
        assertThat(store.highest(ID, 100_000)).isEqualTo(100_000);
        assertThat(proxy.requests().requests()).hasSizeLessThanOrEqualTo(9);
    }

    @Test
    void lowMarkAboveTheHint_counts() {
        TestStore other = elsewhere();
        other.fill(ID, 1, 520);
        other.delete(ID, 520);
        assertThat(node().highest(ID, 300)).isEqualTo(520);
        assertThat(node().highest(ID, 520)).isEqualTo(520);
        assertThat(node().highest(ID, 640)).as("the snapshot is newer").isEqualTo(640);
    }

    /** Hundreds of events in a row were rejected before the snapshot: their numbers are not left free behind the head. */
    @ParameterizedTest
    @ValueSource(longs = {150, 249, 349, 360, 1_000})
    void lastEventFarBelowTheHint_isFoundByTheHighMark(long hint) {
        TestStore stale = elsewhere();
        stale.fill(ID, 1, 149);
        TestStore store = node();
        assertThat(store.highest(ID, hint)).isEqualTo(hint);
        store.append(ID, hint + 1, hint + 1);
        assertThatThrownBy(() -> stale.append(ID, 150, 150)).isInstanceOf(WriterConflictException.class);
        assertThat(elsewhere().recover(ID, 140, Long.MAX_VALUE, Long.MAX_VALUE))
                .extracting(Event::sequenceNumber)
                .containsExactly(140L, 141L, 142L, 143L, 144L, 145L, 146L, 147L, 148L, 149L, hint + 1);
    }

    @Test
    void timestampsIncreaseAfterTheLastEventBelowTheHint() {
        elsewhere().fill(ID, 1, 149);
        TestStore store = node();
        store.highest(ID, 600);
        store.append(ID, 150, 150);
        List<Event> events = elsewhere().recover(ID);
        assertThat(events.get(149).timestamp()).isGreaterThan(events.get(148).timestamp());
    }

    @Test
    void unfinishedChainBelowTheHint_isGivenUp() {
        TestStore other = elsewhere();
        other.fill(ID, 1, 149);
        other.append(ID, 150, 400);
        journal.items(ID).take(300, 400);
        TestStore store = node();
        assertThat(store.highest(ID, 430)).isEqualTo(430);
        store.append(ID, 431, 431);
        List<Long> expected = new ArrayList<>(StoredItems.numbers(1, 149));
        expected.add(431L);
        assertThat(elsewhere().recoveredNumbers(ID)).isEqualTo(expected);
    }
}
