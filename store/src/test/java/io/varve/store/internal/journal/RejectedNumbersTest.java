package io.varve.store.internal.journal;

import static io.varve.store.internal.journal.StoredItems.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.StoreException;
import io.varve.store.WriterConflictException;
import io.varve.store.internal.append.AppendRequest;
import io.varve.store.internal.append.AppendResult;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.EventId;
import io.varve.store.internal.replay.EventCursor;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The numbers of rejected events: nobody else's event may land there when later ones are stored. */
@ExtendWith(JournalFixture.Extension.class)
class RejectedNumbersTest {
    private static final String ID = "cart|1";
    private static final String TOO_LARGE = "x".repeat(410_000);

    private final JournalFixture journal;
    private final FaultProxy proxy;

    RejectedNumbersTest(JournalFixture journal) {
        this.journal = journal;
        this.proxy = journal.proxy();
    }

    private TestStore node() {
        return journal.directNode().build();
    }

    private static void reject(TestStore store, long number) {
        assertThat(TestStore.await(
                                store.appendAsync(ID, new AppendRequest(ID, List.of(store.event(number, TOO_LARGE)))))
                        .get(0))
                .isInstanceOf(AppendResult.Rejected.class);
    }

    /** Found by the simulation: the numbers follow one another, but the state of the writer lacks the other's event. */
    @Test
    void writerWhoseRejectedNumberAnotherHasStored_isRefused_alsoAfterARecoveryOnItsNode() {
        TestStore store = node();
        store.append(ID, 1, 10);
        String writer = store.writer();
        reject(store, 11);
        TestStore other = node();
        assertThat(other.highest(ID)).isEqualTo(10);
        other.append(ID, 11, 11);
        assertThat(store.newWriter().highest(ID)).isEqualTo(11);
        assertThatThrownBy(() -> TestStore.await(store.appendAsync(ID, request(writer, 12))))
                .isInstanceOf(WriterConflictException.class);
        assertThat(node().recoveredNumbers(ID)).isEqualTo(numbers(1, 11));
        store.append(ID, 12, 12);
        assertThat(node().recoveredNumbers(ID)).isEqualTo(numbers(1, 12));
    }

    /** Found by the simulation: a third instance that fails makes the node read the end of the entity again. */
    @Test
    void writerWhoseRejectedNumberAnotherHasStored_isRefused_alsoAfterAFailureOnItsNode() {
        TestStore store = node();
        store.append(ID, 1, 10);
        String writer = store.writer();
        assertThat(store.newWriter().highest(ID)).isEqualTo(10);
        assertThat(TestStore.await(store.appendAsync(
                                ID,
                                new AppendRequest(
                                        ID,
                                        List.of(new AppendRequest.NewEvent(
                                                11,
                                                TestStore.payload(TOO_LARGE),
                                                writer,
                                                "",
                                                Optional.empty(),
                                                Set.of())))))
                        .get(0))
                .isInstanceOf(AppendResult.Rejected.class);
        TestStore other = node();
        assertThat(other.highest(ID)).isEqualTo(10);
        other.append(ID, 11, 11);
        assertThatThrownBy(() -> store.append(ID, 11, 11)).isInstanceOf(WriterConflictException.class);
        assertThatThrownBy(() -> TestStore.await(store.appendAsync(ID, request(writer, 12))))
                .isInstanceOf(WriterConflictException.class);
        assertThat(node().recoveredNumbers(ID)).isEqualTo(numbers(1, 11));
    }

    private static AppendRequest request(String writer, long number) {
        return new AppendRequest(
                ID,
                List.of(new AppendRequest.NewEvent(
                        number, TestStore.payload("late"), writer, "", Optional.empty(), Set.of())));
    }

    @Test
    void staleWriter_cannotUseTheNumberOfARejectedEvent() {
        TestStore stale = node();
        stale.append(ID, 1, 10);
        TestStore owner = node();
        assertThat(owner.highest(ID)).isEqualTo(10);
        reject(owner, 11);
        owner.append(ID, 12, 12);
        assertThatThrownBy(() -> stale.append(ID, 11, 11)).isInstanceOf(WriterConflictException.class);
        assertThat(node().recoveredNumbers(ID)).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 12L);
    }

    /** Found by the simulation: the node knows the other instance's event, and would fill only the numbers after it. */
    @Test
    void secondInstanceOnOneNode_storesAfterARejection_andTheFirstOneCannotGoOn() {
        TestStore node = node();
        node.append(ID, 1, 2);
        reject(node, 3);
        reject(node, 4);
        AppendRequest ofTheFirst = node.write(ID, 5, 5);
        assertThat(node.newWriter().highest(ID)).isEqualTo(2);
        node.append(ID, 3, 3);
        assertThatThrownBy(() -> TestStore.await(node.appendAsync(ID, ofTheFirst)))
                .isInstanceOf(WriterConflictException.class);
        assertThat(node().recoveredNumbers(ID)).containsExactly(1L, 2L, 3L);
    }

    @Test
    void writeThatWasReportedAsFailedAndArrivesLate_cannotUseTheNumberOfARejectedEvent() {
        TestStore slow =
                journal.node().operationTimeout(Duration.ofMillis(1500)).build();
        slow.append(ID, 1, 1);
        var gate = proxy.hold(RequestMatch.operation("PutItem").times(1));
        assertThatThrownBy(() -> slow.append(ID, 2, 2)).isInstanceOf(StoreException.class);
        gate.awaitArrival();
        TestStore next = node();
        assertThat(next.recoveredNumbers(ID)).containsExactly(1L);
        reject(next, 2);
        next.append(ID, 3, 3);
        gate.releaseAll();
        next.append(ID, 4, 4);
        assertThat(node().recoveredNumbers(ID)).containsExactly(1L, 3L, 4L);
    }

    private Map<String, AttributeValue> item(long number) {
        return journal.item(TestStore.KEYS.eventKey(ID, number));
    }

    private EventReader reader() {
        return journal.directNode().reader();
    }

    private List<Long> read(long from, long to) {
        List<Long> numbers = new ArrayList<>();
        EventCursor cursor = reader().events(ID, from, to);
        Optional<List<Event>> page = TestStore.await(cursor.next());
        while (page.isPresent()) {
            page.get().forEach(event -> numbers.add(event.sequenceNumber()));
            page = TestStore.await(cursor.next());
        }
        return numbers;
    }

    @Test
    void placeholder_isAnItemUnderTheEventsKeyThatNobodyCanTakeForAnEvent() {
        TestStore store = journal.directNode().indexed().build();
        store.append(ID, 2, 2);
        assertThat(item(1))
                .containsEntry("persistence_id", AttributeValue.fromS(ID))
                .containsEntry("seq", AttributeValue.fromN("1"))
                .containsEntry("placeholder", AttributeValue.fromBool(true))
                .containsEntry("idx", AttributeValue.fromN("1"))
                .containsEntry("cnt", AttributeValue.fromN("0"))
                .containsEntry("event", AttributeValue.fromB(SdkBytes.fromByteArray(new byte[0])))
                .containsEntry("ev_ser_id", AttributeValue.fromN("4"))
                .containsEntry("writer_uuid", AttributeValue.fromS(store.writer()))
                .containsOnlyKeys(
                        "par",
                        "num",
                        "persistence_id",
                        "seq",
                        "placeholder",
                        "idx",
                        "cnt",
                        "event",
                        "ev_ser_id",
                        "writer_uuid",
                        "ts",
                        "pid_bucket");
        assertThat(item(2)).containsKey("shard");
    }

    @Test
    void readers_passPlaceholdersOver() {
        TestStore store = node();
        store.append(ID, 1, 1);
        store.append(ID, 3, 4);
        store.append(ID, 98, 130);
        List<Long> events = new ArrayList<>(List.of(1L, 3L, 4L));
        events.addAll(numbers(98, 130));
        assertThat(node().recoveredNumbers(ID)).isEqualTo(events);
        assertThat(read(1, Long.MAX_VALUE)).isEqualTo(events);
        assertThat(read(2, 3)).containsExactly(3L);
        assertThat(read(5, 97)).isEmpty();
        assertThat(node().recover(ID, 5, Long.MAX_VALUE, 33))
                .as("the bound counts events")
                .extracting(Event::sequenceNumber)
                .isEqualTo(numbers(98, 130));
        EventReader reader = reader();
        assertThat(TestStore.await(reader.event(ID, 2))).isEmpty();
        assertThat(TestStore.await(reader.event(ID, 3))).isPresent();
        assertThat(TestStore.await(reader.events(List.of(new EventId(ID, 50), new EventId(ID, 98)))))
                .extracting(Event::sequenceNumber)
                .containsExactly(98L);
        assertThat(TestStore.await(reader.before(ID, 98, 0)))
                .extracting(Event::sequenceNumber)
                .containsExactly(1L, 3L, 4L);
        assertThat(TestStore.await(reader.lastSequenceNumber(ID))).isEqualTo(130);
    }

    @Test
    void placeholderAtTheTail_countsAsTaken() {
        TestStore store = node();
        store.append(ID, 1, 1);
        store.append(ID, 5, 5);
        journal.items(ID).take(5, 5); // as if the node had died between the two
        TestStore next = node();
        assertThat(next.recoveredNumbers(ID)).containsExactly(1L);
        assertThat(next.highest(ID)).isEqualTo(4);
        assertThat(TestStore.await(reader().lastSequenceNumber(ID))).isEqualTo(4);
        EventCursor cursor = reader().events(ID, 1, Long.MAX_VALUE);
        assertThat(TestStore.await(cursor.next())).isPresent();
        assertThat(TestStore.await(cursor.next())).isEmpty();
        assertThat(cursor.nextSequenceNumber()).isEqualTo(5);
        next.append(ID, 5, 5);
        assertThat(node().recoveredNumbers(ID)).containsExactly(1L, 5L);
    }

    @ParameterizedTest
    @CsvSource({"false, 10", "false, 150", "true, 10", "true, 150"})
    void atomicWritesAfterRejections_takeTheNumbersFirst(boolean marked, int size) {
        TestStore.Builder builder = journal.directNode();
        TestStore store = (marked ? builder.marked() : builder).build();
        store.append(ID, 1, 1);
        assertThat(store.append(ID, 100, 99 + size)).isInstanceOf(AppendResult.Stored.class);
        List<Long> expected = new ArrayList<>(List.of(1L));
        expected.addAll(numbers(100, 99 + size));
        assertThat(node().recoveredNumbers(ID)).isEqualTo(expected);
        for (long n = 2; n < 100; n++) {
            assertThat(item(n)).containsKey("placeholder");
        }
    }

    @Test
    void tenThousandAndMoreRejectedNumbers_areTakenInTransactionsOneAfterAnother() {
        TestStore store =
                journal.node().operationTimeout(Duration.ofMinutes(2)).build(); // 105 requests on a busy machine
        store.append(ID, 1, 1);
        proxy.requests().clear();
        store.append(ID, 10_203, 10_203);
        List<String> requests = proxy.requests().operations();
        assertThat(requests).hasSize(105).endsWith("PutItem");
        assertThat(requests.subList(0, 104)).allMatch(request -> request.startsWith("TransactWriteItems("));
        assertThat(journal.node().build().recoveredNumbers(ID)).containsExactly(1L, 10_203L);
        assertThat(item(10_202)).containsKey("placeholder");
    }

    /** The journal's events were removed, and a snapshot is left. */
    @Test
    void gapThatIsTooLongForRejections_isLeftAlone() {
        TestStore store = node();
        assertThat(store.highest(ID)).isZero();
        store.append(ID, 1_000_001, 1_000_001);
        assertThat(item(1_000_000)).isEmpty();
        assertThat(node().highest(ID, 1_000_000)).isEqualTo(1_000_001);
    }

    @ParameterizedTest
    @CsvSource({"0, false", "0, true", "1, false", "1, true", "2, false", "2, true", "3, false"})
    void nodeThatDiesMeanwhile_leavesNoFreeNumberBehindTheHead(int survive, boolean late) {
        History history = new History(ID);
        history.append(node(), 1, 5);
        RequestMatch writes = RequestMatch.operation("PutItem", "TransactWriteItems");
        proxy.on(writes.skip(survive).times(1), late ? Fault.resetAfter() : Fault.resetBefore());
        proxy.on(writes.skip(survive), Fault.resetBefore());
        try (DynamoDbAsyncClient client = proxy.client()) {
            TestStore dying = TestStore.on(client, journal.table())
                    .operationTimeout(Duration.ofMillis(150))
                    .build();
            history.append(dying, 180, 185);
        }
        TestStore next = node();
        history.check(next);
        long head = next.highest(ID);
        for (long n = 1; n <= head; n++) {
            assertThat(item(n)).as("number %d of %d", n, head).isNotEmpty();
        }
        assertThat(history.append(next, head + 1, head + 1)).isTrue();
        history.check(node());
    }

    @Test
    void lostAnswerOfAWriteWithPlaceholders_isAcknowledgedOnce() {
        TestStore store = journal.node().build();
        store.append(ID, 1, 1);
        proxy.on(RequestMatch.operation("TransactWriteItems").times(1), Fault.resetAfter());
        assertThat(store.append(ID, 4, 4)).isInstanceOf(AppendResult.Stored.class);
        assertThat(node().recoveredNumbers(ID)).containsExactly(1L, 4L);
    }

    @Test
    void deletedEventsAndPlaceholders_areGone() {
        TestStore store = node();
        store.append(ID, 2, 2);
        store.append(ID, 5, 5);
        store.delete(ID, 5);
        for (long n = 1; n <= 5; n++) {
            assertThat(item(n)).isEmpty();
        }
        assertThat(journal.item(TestStore.KEYS.standInKey(ID))).containsKey("pid_bucket");
        assertThat(node().highest(ID)).isEqualTo(5);
    }

    @Test
    void chainAfterAPlaceholder_isRemovedUpToIt() {
        TestStore store = node();
        store.append(ID, 1, 1);
        store.append(ID, 3, 200);
        journal.items(ID).take(150, 200);
        TestStore next = node();
        assertThat(next.highest(ID)).isEqualTo(2);
        next.append(ID, 3, 3);
        assertThat(node().recoveredNumbers(ID)).containsExactly(1L, 3L);
    }

    @Test
    void snapshotAtARejectedNumber_theNumbersUpToItAreNotGivenAgain() {
        node().append(ID, 1, 32);
        TestStore next = node();
        assertThat(next.highest(ID, 34)).isEqualTo(34);
        next.append(ID, 35, 35);
        assertThat(item(33)).containsKey("placeholder");
        assertThat(item(34)).containsKey("placeholder");
        assertThat(node().highest(ID, 34)).isEqualTo(35);
    }
}
