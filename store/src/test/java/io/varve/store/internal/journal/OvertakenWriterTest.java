package io.varve.store.internal.journal;

import static io.varve.store.internal.journal.StoredItems.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.WriterConflictException;
import io.varve.store.internal.append.AppendRequest;
import io.varve.store.internal.append.AppendRequest.NewEvent;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A writer behind whose back events were stored, and deleted again so that nothing is in its way. */
@ExtendWith(JournalFixture.Extension.class)
class OvertakenWriterTest {
    private static final String ID = "cart|1";

    private final JournalFixture journal;

    OvertakenWriterTest(JournalFixture journal) {
        this.journal = journal;
    }

    private TestStore node() {
        return journal.directNode().build();
    }

    private static AppendRequest write(String writer, long... numbers) {
        return new AppendRequest(
                ID,
                Arrays.stream(numbers)
                        .mapToObj(n -> new NewEvent(
                                n, TestStore.payload("stale-" + n), writer, "", Optional.empty(), Set.of()))
                        .toList());
    }

    private void assertOvertaken(TestStore store, AppendRequest write, long last, long highest) {
        assertThatThrownBy(() -> TestStore.await(store.appendAsync(ID, write)))
                .isInstanceOfSatisfying(WriterConflictException.class, e -> {
                    assertThat(e.persistenceId()).isEqualTo(ID);
                    assertThat(e.sequenceNumber()).isEqualTo(last + 1);
                })
                .hasMessageContaining("another writer has stored events up to " + highest
                        + ", which may be deleted by now, while this one knew of none after " + last);
        for (NewEvent event : write.events()) {
            assertThat(journal.item(TestStore.KEYS.eventKey(ID, event.sequenceNumber())))
                    .as("event %d", event.sequenceNumber())
                    .isEmpty();
        }
    }

    @Test
    void olderIncarnationOnTheSameNode_isRefused() {
        TestStore store = node();
        store.appendSingles(ID, 1, 10);
        String older = store.writer();
        store.newWriter().highest(ID);
        store.appendSingles(ID, 11, 12);
        store.delete(ID, 12);
        assertOvertaken(store, write(older, 11), 10, 12);
        store.highest(ID);
        store.append(ID, 13, 13);
        assertThat(node().recoveredNumbers(ID)).containsExactly(13L);
    }

    @Test
    void writerOfWhichTheNodeKnowsNothing_isRefused() {
        TestStore other = node();
        other.append(ID, 1, 12);
        other.delete(ID, 12);
        assertOvertaken(node(), write("stale", 11), 10, 12);
        assertOvertaken(node(), write("stale", 11, 12, 13, 14), 10, 12);
    }

    @Test
    void batchWithoutConditionsBehindTheHead_overwritesNothing() {
        TestStore store = journal.directNode().marked().build();
        store.append(ID, 1, 10);
        assertThatThrownBy(() -> TestStore.await(store.appendAsync(ID, write("stale", 9, 10, 11))))
                .isInstanceOf(WriterConflictException.class);
        assertThat(node().recover(ID).stream().map(TestStore::text).distinct()).hasSize(10);
        assertThat(node().recoveredNumbers(ID)).isEqualTo(numbers(1, 10));
    }

    @Test
    void writerThatIsRefused_doesNotDisturbTheOther() {
        TestStore store = node();
        store.append(ID, 1, 10);
        assertThatThrownBy(() -> TestStore.await(store.appendAsync(ID, write("stale", 10))))
                .isInstanceOf(WriterConflictException.class);
        assertThat(store.append(ID, 11, 11)).isNotNull();
        assertThat(node().recoveredNumbers(ID)).isEqualTo(numbers(1, 11));
    }
}
