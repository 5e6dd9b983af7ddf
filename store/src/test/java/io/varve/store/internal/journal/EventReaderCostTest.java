package io.varve.store.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.internal.append.AppendRequest;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.EventId;
import io.varve.store.internal.replay.EventCursor;
import io.varve.testkit.Capacity;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.internal.capacity.ItemBytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** What each call of a reader costs: the exact requests, and capacity by AWS's rules, for payloads of 200 bytes. */
@ExtendWith(JournalFixture.Extension.class)
class EventReaderCostTest {
    private static final String ID = "cart|1";
    private static final String PAYLOAD = "x".repeat(200);

    private final JournalFixture journal;
    private final FaultProxy proxy;

    EventReaderCostTest(JournalFixture journal) {
        this.journal = journal;
        this.proxy = journal.proxy();
    }

    /** An entity with that many events, in atomic writes of up to {@code size}. */
    private void prepare(long events, long size) {
        TestStore store = journal.directNode().build();
        for (long first = 1; first <= events; first += size) {
            TestStore.await(store.appendAsync(
                    ID,
                    new AppendRequest(
                            ID,
                            LongStream.rangeClosed(first, Math.min(events, first + size - 1))
                                    .mapToObj(n -> store.event(n, PAYLOAD))
                                    .toList())));
        }
    }

    /** A reader that has already read the journal's META item. */
    private EventReader reader() {
        EventReader reader = journal.node().reader();
        TestStore.await(reader.event("warm-up", 1));
        proxy.requests().clear();
        return reader;
    }

    private static List<Event> drain(EventCursor cursor) {
        List<Event> events = new ArrayList<>();
        Optional<List<Event>> page = TestStore.await(cursor.next());
        while (page.isPresent()) {
            events.addAll(page.get());
            page = TestStore.await(cursor.next());
        }
        return events;
    }

    private List<String> requests() {
        return proxy.requests().operations();
    }

    private Capacity cost() {
        return proxy.requests().capacity();
    }

    @Test
    void thousandEvents_areOneQueryForEachGroupTheMarksAndTheTail() {
        prepare(1000, 90);
        EventReader reader = reader();
        assertThat(drain(reader.events(ID, 1, Long.MAX_VALUE))).hasSize(1000);
        List<String> expected = new ArrayList<>(Collections.nCopies(11, "Query"));
        expected.add("BatchGetItem(2)");
        expected.add("Query");
        assertThat(requests()).containsExactlyInAnyOrderElementsOf(expected);
        double events =
                LongStream.rangeClosed(0, 10).mapToDouble(this::readUnits).sum();
        assertThat(cost()).isEqualTo(new Capacity(0, 0, events + 3));
    }

    @Test
    void eventsOfOneGroup_areTwoRequestsAtOnce() {
        prepare(98, 90);
        EventReader reader = reader();
        assertThat(drain(reader.events(ID, 1, Long.MAX_VALUE))).hasSize(98);
        assertThat(requests()).containsExactlyInAnyOrder("Query", "BatchGetItem(2)");
        assertThat(cost()).isEqualTo(new Capacity(0, 0, readUnits(0) + 2));
    }

    @Test
    void nothingNew_isTwoRequestsOfThreeUnits() {
        prepare(250, 90);
        EventReader reader = reader();
        assertThat(drain(reader.events(ID, 251, Long.MAX_VALUE))).isEmpty();
        assertThat(requests()).containsExactlyInAnyOrder("Query", "BatchGetItem(2)");
        assertThat(cost()).isEqualTo(new Capacity(0, 0, 3));
    }

    @Test
    void lastSequenceNumber_isFourRequestsAndReadsNoMoreThanTwoEvents() {
        prepare(1000, 90);
        EventReader reader = reader();
        assertThat(TestStore.await(reader.lastSequenceNumber(ID))).isEqualTo(1000);
        assertThat(requests()).containsExactly("Query", "BatchGetItem(2)", "Query", "BatchGetItem(1)");
        assertThat(cost()).isEqualTo(new Capacity(0, 0, 5));
    }

    @Test
    void event_isOneGetOfOneUnit() {
        prepare(5, 1);
        EventReader reader = reader();
        assertThat(TestStore.await(reader.event(ID, 3))).isPresent();
        assertThat(requests()).containsExactly("GetItem");
        assertThat(cost()).isEqualTo(new Capacity(0, 0, 1));
    }

    @Test
    void eventOfAnAtomicWrite_isOneGetAndOneQueryOfIt() {
        prepare(10, 5);
        EventReader reader = reader();
        assertThat(TestStore.await(reader.event(ID, 7))).isPresent();
        assertThat(requests()).containsExactly("GetItem", "Query");
        assertThat(cost()).isEqualTo(new Capacity(0, 0, 2));
    }

    @Test
    void eventOfAChain_isOneGetAndOneOfItsLast() {
        prepare(150, 150);
        EventReader reader = reader();
        assertThat(TestStore.await(reader.event(ID, 7))).isPresent();
        assertThat(requests()).containsExactly("GetItem", "GetItem");
        assertThat(cost()).isEqualTo(new Capacity(0, 0, 2));
    }

    @Test
    void eventsByTheirIds_areOneRequest() {
        prepare(10, 5);
        EventReader reader = reader();
        List<EventId> ids = List.of(new EventId(ID, 7), new EventId(ID, 2), new EventId("cart|2", 1));
        assertThat(TestStore.await(reader.events(ids))).hasSize(2);
        assertThat(requests()).containsExactly("BatchGetItem(3)");
        assertThat(cost()).isEqualTo(new Capacity(0, 0, 3));
    }

    @Test
    void before_isOneQueryOfTheGroup() {
        prepare(98, 1);
        EventReader reader = reader();
        long timestamp =
                TestStore.await(reader.event(ID, 95)).map(Event::timestamp).orElseThrow();
        proxy.requests().clear();
        assertThat(TestStore.await(reader.before(ID, 99, timestamp))).hasSize(3);
        assertThat(requests()).containsExactly("Query");
        assertThat(cost()).isEqualTo(new Capacity(0, 0, readUnits(0)));
    }

    /** What a query of a whole group costs: its items' sizes by 4 KB. */
    private double readUnits(long group) {
        double bytes = journal
                .direct()
                .query(r -> r.tableName(journal.table())
                        .consistentRead(true)
                        .keyConditionExpression("par = :par")
                        .expressionAttributeValues(
                                Map.of(":par", AttributeValue.fromS(TestStore.KEYS.eventPartition(ID, group)))))
                .join()
                .items()
                .stream()
                .mapToInt(ItemBytes::of)
                .sum();
        return Math.ceil(bytes / 4096);
    }
}
