package io.varve.store.internal.journal;

import static io.varve.store.internal.journal.StoredItems.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.internal.append.AppendRequest;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.EventId;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RecordedRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Single events, several by their ids, and those before another. */
@ExtendWith(JournalFixture.Extension.class)
class EventReaderLookupTest {
    private static final String ID = "cart|1";
    private static final Instant NOON = Instant.parse("2030-01-01T12:00:00Z");

    private final JournalFixture journal;
    private final FaultProxy proxy;
    private final StoredItems items;

    EventReaderLookupTest(JournalFixture journal) {
        this.journal = journal;
        this.proxy = journal.proxy();
        this.items = journal.items(ID);
    }

    /** Only readers use the proxy. */
    @AfterEach
    void nothingWasWritten() {
        assertThat(proxy.requests().requests().stream().map(RecordedRequest::operation))
                .isSubsetOf("GetItem", "BatchGetItem", "Query");
    }

    /** A node whose clock stands still, so that event n of an entity has the timestamp {@link #timestamp}. */
    private TestStore node() {
        return journal.directNode().clock(() -> NOON).build();
    }

    private TestStore marked() {
        return journal.directNode().clock(() -> NOON).marked().build();
    }

    private EventReader reader() {
        return journal.node().clock(() -> NOON).reader();
    }

    /** The timestamp of event n if none before it was rejected. */
    private static long timestamp(long n) {
        return NOON.getEpochSecond() * 1_000_000 + n - 1;
    }

    private void expire(long number) {
        items.set(number, "expiry", AttributeValue.fromN(Long.toString(NOON.getEpochSecond())));
    }

    private List<Long> found(long first, long last) {
        EventReader reader = reader();
        return LongStream.rangeClosed(first, last)
                .filter(n -> TestStore.await(reader.event(ID, n)).isPresent())
                .boxed()
                .toList();
    }

    @Test
    void event_isFoundAsItWasStored() {
        node().append(ID, 1, 1);
        assertThat(TestStore.await(reader().event(ID, 1))).hasValueSatisfying(event -> {
            assertThat(event.persistenceId()).isEqualTo(ID);
            assertThat(event.timestamp()).isEqualTo(timestamp(1));
            assertThat(TestStore.text(event)).isEqualTo("event-1");
        });
        for (long absent : new long[] {-1, 0, 2, 101, Long.MAX_VALUE}) {
            assertThat(TestStore.await(reader().event(ID, absent))).isEmpty();
        }
        assertThat(TestStore.await(reader().event("none", 1))).isEmpty();
    }

    @Test
    void event_expired_isAbsent() {
        node().fill(ID, 1, 3);
        expire(2);
        assertThat(found(1, 3)).containsExactly(1L, 3L);
    }

    @Test
    void event_ofAMarkedBatch_isFoundWhenItIsComplete() {
        TestStore store = marked();
        store.append(ID, 1, 98);
        store.append(ID, 99, 102);
        assertThat(found(97, 103)).isEqualTo(numbers(97, 102));
        for (long missing = 99; missing <= 102; missing++) {
            List<Map<String, AttributeValue>> taken = items.take(missing, missing);
            assertThat(found(98, 103)).containsExactly(98L);
            items.put(taken);
        }
        assertThat(found(98, 102)).isEqualTo(numbers(98, 102));
    }

    @Test
    void event_ofAnAtomicWriteWhoseBeginningIsDeleted_isFound() {
        TestStore store = node();
        store.append(ID, 1, 10);
        store.delete(ID, 4);
        assertThat(found(1, 10)).isEqualTo(numbers(5, 10));
        items.take(6, 6);
        assertThat(found(1, 10)).as("one more is missing that nobody deleted").isEmpty();
    }

    @Test
    void event_ofAChain_isFoundWhenTheLastOneIsThere() {
        TestStore store = node();
        store.append(ID, 1, 5);
        store.append(ID, 6, 160);
        assertThat(found(98, 101)).isEqualTo(numbers(98, 101));
        assertThat(TestStore.await(reader().event(ID, 160))).isPresent();
        List<Map<String, AttributeValue>> end = items.take(150, 160);
        assertThat(found(5, 8)).containsExactly(5L);
        items.put(end);
        store.delete(ID, 50);
        assertThat(found(49, 52)).containsExactly(51L, 52L);
    }

    @Test
    void events_comeInTheOrderOfTheirIds_thoseThatAreThere() {
        TestStore store = marked();
        store.fill(ID, 1, 120);
        store.append("cart|2", 1, 3);
        items.take(2, 2);
        expire(7);
        List<EventId> ids = List.of(
                new EventId("cart|2", 3),
                new EventId(ID, 120),
                new EventId(ID, 1),
                new EventId(ID, 2),
                new EventId(ID, 7),
                new EventId("cart|2", 4),
                new EventId("cart|3", 1),
                new EventId("cart|2", 3),
                new EventId("cart|2", 1));
        List<Event> found = TestStore.await(reader().events(ids));
        assertThat(found.stream().map(event -> new EventId(event.persistenceId(), event.sequenceNumber())))
                .as("also that of an incomplete atomic write")
                .containsExactly(
                        new EventId("cart|2", 3), new EventId(ID, 120), new EventId(ID, 1), new EventId("cart|2", 1));
    }

    @Test
    void events_areReadAHundredAtATime() {
        node().fill(ID, 1, 250);
        EventReader reader = reader();
        TestStore.await(reader.lastSequenceNumber("none"));
        proxy.requests().clear();
        List<EventId> ids =
                numbers(1, 250).stream().map(n -> new EventId(ID, n)).toList();
        assertThat(TestStore.await(reader.events(ids)).stream().map(Event::sequenceNumber))
                .isEqualTo(numbers(1, 250));
        assertThat(proxy.requests().operations())
                .containsExactlyInAnyOrder("BatchGetItem(100)", "BatchGetItem(100)", "BatchGetItem(50)");
        proxy.requests().clear();
        assertThat(TestStore.await(reader.events(List.of()))).isEmpty();
        assertThat(proxy.requests().operations()).isEmpty();
    }

    private List<Long> before(long number, long afterTimestamp) {
        return TestStore.await(reader().before(ID, number, afterTimestamp)).stream()
                .map(Event::sequenceNumber)
                .toList();
    }

    @Test
    void before_endsAtTheTimestamp() {
        node().fill(ID, 1, 250);
        assertThat(before(245, timestamp(240))).isEqualTo(numbers(241, 244));
        assertThat(before(245, timestamp(244))).isEmpty();
        assertThat(before(245, timestamp(999))).isEmpty();
        assertThat(before(205, timestamp(190))).as("across a border").isEqualTo(numbers(191, 204));
        assertThat(before(200, timestamp(198))).containsExactly(199L);
        assertThat(before(250, 0)).isEqualTo(numbers(1, 249));
        assertThat(before(1, 0)).isEmpty();
        assertThat(before(-3, 0)).isEmpty();
        assertThat(TestStore.await(reader().before("none", 5, 0))).isEmpty();
    }

    @Test
    void before_largeEvents_arePagedWithinAGroup() {
        TestStore store = node();
        String large = "x".repeat(300_000);
        for (long n = 1; n <= 12; n++) {
            TestStore.await(store.appendAsync(ID, new AppendRequest(ID, List.of(store.event(n, large)))));
        }
        assertThat(before(12, 0)).isEqualTo(numbers(1, 11));
        assertThat(before(12, timestamp(2))).isEqualTo(numbers(3, 11));
    }

    @Test
    void before_rejectedNumbers_doNotStopIt() {
        TestStore store = node();
        store.fill(ID, 1, 97);
        store.appendSingles(ID, 103, 105);
        store.append(ID, 107, 107);
        List<Long> expected = new ArrayList<>(numbers(1, 97));
        expected.addAll(numbers(103, 105));
        assertThat(before(107, 0)).isEqualTo(expected);
        assertThat(before(103, 0))
                .as("the part of the group before it is empty")
                .isEqualTo(numbers(1, 97));
    }

    @Test
    void before_endsAtAGroupWithoutEvents() {
        TestStore store = node();
        store.fill(ID, 1, 320);
        store.delete(ID, 230);
        assertThat(before(320, 0)).isEqualTo(numbers(231, 319));
        assertThat(before(231, 0)).isEmpty();
        EventReader reader = reader();
        TestStore.await(reader.lastSequenceNumber("none"));
        proxy.requests().clear();
        TestStore.await(reader.before(ID, Long.MAX_VALUE, 0));
        assertThat(proxy.requests().operations()).hasSizeLessThanOrEqualTo(2);
    }

    @Test
    void before_leavesOutAtomicWritesThatAreNotComplete() {
        TestStore store = marked();
        store.append(ID, 1, 90);
        store.append(ID, 91, 94);
        store.append(ID, 95, 104);
        store.append(ID, 105, 105);
        List<Map<String, AttributeValue>> taken = items.take(93, 93);
        assertThat(before(105, timestamp(88)))
                .isEqualTo(Stream.concat(numbers(89, 90).stream(), numbers(95, 104).stream())
                        .toList());
        assertThat(before(105, timestamp(93))).isEqualTo(numbers(95, 104));
        items.put(taken);
        assertThat(before(105, timestamp(92))).as("cut by the timestamp").isEqualTo(numbers(93, 104));
        assertThat(before(103, timestamp(93))).as("cut by the number").isEqualTo(numbers(94, 102));
        assertThat(before(103, timestamp(97))).as("cut by both").isEqualTo(numbers(98, 102));
        for (long missing : new long[] {95, 100, 104}) {
            List<Map<String, AttributeValue>> part = items.take(missing, missing);
            assertThat(before(103, timestamp(97))).isEmpty();
            assertThat(before(103, timestamp(90))).isEqualTo(numbers(91, 94));
            items.put(part);
        }
        items.take(102, 102);
        assertThat(before(103, timestamp(90))).isEqualTo(numbers(91, 94));
    }

    @Test
    void before_beginningDeletedInsideAnAtomicWrite_leavesTheRest() {
        TestStore store = node();
        store.append(ID, 1, 20);
        store.append(ID, 21, 21);
        store.delete(ID, 8);
        assertThat(before(21, 0)).isEqualTo(numbers(9, 20));
        assertThat(before(15, 0)).isEqualTo(numbers(9, 14));
        items.take(9, 9);
        assertThat(before(21, 0)).isEmpty();
    }

    @Test
    void before_unfinishedChain_isLeftOut() {
        TestStore store = node();
        store.append(ID, 1, 5);
        store.append(ID, 6, 160);
        assertThat(before(120, timestamp(90))).isEqualTo(numbers(91, 119));
        items.take(155, 160);
        assertThat(before(120, timestamp(90))).isEmpty();
        assertThat(before(120, timestamp(3))).isEqualTo(numbers(4, 5));
    }

    @Test
    void before_expiredEvents_areLeftOut() {
        node().fill(ID, 1, 10);
        expire(5);
        assertThat(before(8, timestamp(3))).containsExactly(4L, 6L, 7L);
    }
}
