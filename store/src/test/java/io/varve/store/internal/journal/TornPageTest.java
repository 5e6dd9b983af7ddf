package io.varve.store.internal.journal;

import static io.varve.store.internal.journal.StoredItems.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.VarveException;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.replay.EventCursor;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * A page of a query is no snapshot: events that are stored while it is being read may be missing anywhere in it. Here they are
 * taken away, and put back when the page was answered.
 */
@ExtendWith(JournalFixture.Extension.class)
class TornPageTest {
    private static final String ID = "cart|1";

    private final JournalFixture journal;
    private final FaultProxy proxy;
    private final StoredItems items;

    TornPageTest(JournalFixture journal) {
        this.journal = journal;
        this.proxy = journal.proxy();
        this.items = journal.items(ID);
    }

    private TestStore elsewhere() {
        return journal.directNode().build();
    }

    private TestStore node() {
        return journal.warm(journal.node());
    }

    /** Puts the items back when the first query was answered without them, and the marks, too. */
    private void putBackAfterTheFirstPage(List<Map<String, AttributeValue>> missing) {
        Gate marks = proxy.hold(
                RequestMatch.operation("BatchGetItem").times(1), Fault.runAfter(request -> items.put(missing)));
        CompletableFuture.runAsync(() -> {
            marks.awaitArrival();
            Awaitility.await()
                    .until(() -> proxy.requests().requests().stream()
                            .anyMatch(r -> r.operation().equals("Query") && r.succeeded()));
            marks.releaseAll();
        });
    }

    @ParameterizedTest
    @CsvSource({"11,11", "1,1", "5,9", "2,11"})
    void eventsMissingInThePageThatEndsWithTheTail_areReplayed(long first, long last) {
        elsewhere().appendSingles(ID, 1, 12);
        TestStore recovering = node();
        putBackAfterTheFirstPage(items.take(first, last));
        assertThat(recovering.recoveredNumbers(ID)).isEqualTo(numbers(1, 12));
    }

    @ParameterizedTest
    @CsvSource({"15,15", "13,15", "12,12", "11,11", "12,14", "11,15"})
    void atomicWriteOfWhichThePageHasAPart_isReplayedWhole(long first, long last) {
        TestStore before = elsewhere();
        before.appendSingles(ID, 1, 10);
        before.append(ID, 11, 15);
        TestStore recovering = node();
        putBackAfterTheFirstPage(items.take(first, last));
        long highest = recovering.highest(ID);
        assertThat(highest).as("all of it, or nothing if nothing was seen").isIn(10L, 15L);
        assertThat(recovering.replay(ID, 1, highest, Long.MAX_VALUE).stream().map(Event::sequenceNumber))
                .isEqualTo(numbers(1, highest));
    }

    @Test
    void atomicWriteOverTheBorderOfAGroup_whoseEndAndMarkWereNotSeen_isReplayedWhole() {
        TestStore before = elsewhere();
        before.append(ID, 1, 94);
        before.append(ID, 95, 104);
        TestStore recovering = node();
        List<Map<String, AttributeValue>> missing = new ArrayList<>(items.take(98, 104));
        Map<String, AttributeValue> mark = TestStore.KEYS.highKey(ID, 0);
        missing.add(journal.item(mark));
        journal.remove(mark);
        putBackAfterTheFirstPage(missing);
        assertThat(recovering.highest(ID)).isEqualTo(104);
        assertThat(recovering.recoveredNumbers(ID)).isEqualTo(numbers(1, 104));
    }

    @Test
    void readersCursor_passesOverNothing() {
        elsewhere().appendSingles(ID, 1, 12);
        node();
        EventCursor cursor = journal.node().reader().events(ID, 1, Long.MAX_VALUE);
        putBackAfterTheFirstPage(items.take(11, 11));
        List<Long> read = new ArrayList<>();
        Optional<List<Event>> page = TestStore.await(cursor.next());
        while (page.isPresent()) {
            page.get().forEach(event -> read.add(event.sequenceNumber()));
            page = TestStore.await(cursor.next());
        }
        assertThat(read).isEqualTo(numbers(1, 12));
    }

    @Test
    void numberThatStaysMissing_isPassedOver() {
        elsewhere().appendSingles(ID, 1, 12);
        items.take(11, 11);
        TestStore recovering = node();
        assertThat(recovering.recoveredNumbers(ID)).hasSize(11).endsWith(10L, 12L);
    }

    /** Found by the simulation: what is left of the chain stands behind the tail, and the number before it is missing in the page. */
    @Test
    void eventThatTakesTheFirstNumberOfAGivenUpChain_whileThePageIsRead_isReplayed() {
        TestStore other = journal.directNode().build();
        other.append(ID, 1, 3);
        TestStore dead = journal.node().withoutRetries().build();
        assertThat(dead.highest(ID)).isEqualTo(3);
        proxy.on(RequestMatch.operation("TransactWriteItems").skip(1), Fault.resetBefore());
        assertThatThrownBy(() -> dead.append(ID, 4, 250)).isInstanceOf(VarveException.class);
        proxy.clear();
        journal.items(ID).take(4, 4);
        TestStore recovering = journal.warm(journal.node());
        proxy.on(
                RequestMatch.operation("Query")
                        .key(TestStore.KEYS.eventPartition(ID, 0))
                        .skip(1)
                        .times(1),
                Fault.runAfter(request -> other.append(ID, 4, 4)));
        assertThat(recovering.recoveredNumbers(ID)).containsExactly(1L, 2L, 3L, 4L);
    }
}
