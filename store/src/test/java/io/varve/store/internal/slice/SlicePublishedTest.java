package io.varve.store.internal.slice;

import static io.varve.store.internal.slice.TestJournal.batch;
import static io.varve.store.internal.slice.TestJournal.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.internal.layout.Event;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Events that are published come at once, once and in order; what is lost on the way comes from the index. */
@DynamoDBTest
class SlicePublishedTest {
    private static final String ID = "cart|1";
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final FaultProxy proxy;
    private final TestJournal journal;

    SlicePublishedTest(DynamoDbAsyncClient direct, FaultProxy proxy, TableNames names) {
        this.proxy = proxy;
        this.journal = new TestJournal(direct, proxy, names.journal(), 1);
    }

    @AfterEach
    void close() {
        journal.close();
    }

    /** A query that has delivered the first event of the entity, and has nothing to do now. */
    private TestSliceQuery begun() {
        return begun(TestSettings.defaults());
    }

    private TestSliceQuery begun(TestSettings settings) {
        Event first = event(ID, 1, journal.at(SECOND));
        journal.put(first);
        TestSliceQuery query = TestSliceQuery.live(journal, settings);
        assertThat(query.takeDuring(Duration.ofSeconds(5))).containsExactly(first);
        journal.clock().advance(Duration.ofMillis(10));
        assertThat(query.take()).isEmpty();
        proxy.requests().clear();
        return query;
    }

    private Event stored(String id, long number) {
        Event event = event(id, number, journal.at(Duration.ofMillis(number)));
        journal.put(event);
        return event;
    }

    private static void publish(TestSliceQuery query, Event... events) {
        query.query().published(List.of(events));
    }

    @Test
    void nextEventsOfAKnownEntity_comeAtOnceAndWithoutAnyRequest_andNotAgain() {
        try (TestSliceQuery query = begun()) {
            Event second = stored(ID, 2);
            publish(query, second);
            assertThat(query.take()).containsExactly(second);
            List<Event> write = batch(ID, 3, 3, journal.at(Duration.ofMillis(5)), Optional.empty());
            journal.put(write);
            query.query().published(write);
            assertThat(query.take()).isEqualTo(write);
            assertThat(journal.requests()).isEmpty();
            assertThat(query.takeDuring(Duration.ofMinutes(12), Duration.ofSeconds(10)))
                    .isEmpty();
        }
    }

    @Test
    void firstEventOfANewEntity_comesWithoutAnyRequest() {
        try (TestSliceQuery query = begun()) {
            Event event = stored("cart|new", 1);
            publish(query, event);
            assertThat(query.take()).containsExactly(event);
            assertThat(journal.requests()).isEmpty();
        }
    }

    @Test
    void unknownEntity_isLookedUpOnce() {
        Event sixth = event("cart|2", 6, journal.at(Duration.ofHours(-1)));
        journal.hide(sixth); // as if it had been read and forgotten
        journal.put(sixth);
        try (TestSliceQuery query = begun()) {
            Event seventh = stored("cart|2", 7);
            publish(query, seventh);
            assertThat(query.take()).containsExactly(seventh);
            assertThat(journal.requests()).containsExactly("BatchGetItem(1)");
            Event eighth = stored("cart|2", 8);
            publish(query, eighth);
            assertThat(query.take()).containsExactly(eighth);
            assertThat(proxy.requests().size()).isEqualTo(1);
        }
    }

    @Test
    void eventsBeforeOneThatWasPublished_comeFirst() {
        try (TestSliceQuery query = begun()) {
            Event second = stored(ID, 2);
            Event third = stored(ID, 3);
            Event fourth = stored(ID, 4);
            publish(query, fourth);
            assertThat(query.take()).containsExactly(second, third, fourth);
            assertThat(journal.requests()).containsExactly("Query");
            publish(query, second);
            publish(query, third);
            publish(query, fourth);
            assertThat(query.take()).isEmpty();
            assertThat(query.takeDuring(Duration.ofMinutes(12), Duration.ofSeconds(10)))
                    .isEmpty();
        }
    }

    @Test
    void lostOnes_comeFromTheIndex() {
        try (TestSliceQuery query = begun()) {
            Event second = stored(ID, 2);
            assertThat(query.take()).isEmpty();
            assertThat(query.takeDuring(Duration.ofSeconds(4), SECOND)).containsExactly(second);
            Event third = stored(ID, 3);
            publish(query, third);
            assertThat(query.take()).containsExactly(third);
        }
    }

    @Test
    void farAhead_isLeftToTheIndex() {
        try (TestSliceQuery query = begun()) {
            Event ahead = event("cart|2", 1, journal.at(Duration.ofSeconds(11)));
            Event nearlyAhead = event("cart|3", 1, journal.at(Duration.ofSeconds(10)));
            journal.put(ahead, nearlyAhead);
            publish(query, ahead);
            publish(query, nearlyAhead);
            assertThat(query.take()).containsExactly(nearlyAhead);
            assertThat(query.takeDuring(Duration.ofSeconds(16), SECOND)).containsExactly(ahead);
        }
    }

    @Test
    void olderThanTheTrustedAge_isTakenOnlyAfterItsPredecessor_becauseNobodyElseKnowsWhetherItWasDelivered() {
        try (TestSliceQuery query = begun()) {
            publish(query, event("cart|4", 1, journal.at(Duration.ofHours(-1))));
            assertThat(query.take()).as("nothing is known of the entity").isEmpty();
            Event second = stored("cart|5", 1);
            publish(query, second);
            assertThat(query.take()).containsExactly(second);
            publish(query, event("cart|5", 3, journal.at(Duration.ofHours(-1))));
            publish(query, event("cart|5", 2, journal.at(Duration.ofHours(-1))));
            assertThat(query.take())
                    .as("not the next one, and one of an earlier time")
                    .isEmpty();
        }
    }

    @Test
    void messageThatComesLaterThanTheTrustedAge_afterTheIndexHasShownItsEvent_isNotDeliveredAgain() {
        Event first = stored("cart|6", 1);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults())) {
            assertThat(query.takeDuring(Duration.ofSeconds(5))).containsExactly(first);
            Event second = event("cart|6", 2, journal.at(Duration.ofMillis(1)));
            Event other = event("cart|7", 1, journal.at(Duration.ofMillis(2)));
            journal.put(second, other);
            journal.clock().advance(Duration.ofMinutes(15)); // the node was suspended, with the message in its mailbox
            List<Event> taken = new ArrayList<>(query.take());
            query.query().published(List.of(second));
            taken.addAll(query.takeDuring(Duration.ofMinutes(1), Duration.ofSeconds(5)));
            assertThat(taken).containsExactly(second, other);
        }
    }

    @Test
    void messageThatComesLaterThanTheTrustedAge_andFollowsWhatWasDelivered_isTaken() {
        try (TestSliceQuery query = begun()) {
            Event second = event(ID, 2, journal.at(Duration.ofMillis(1))); // the index does not show it
            journal.clock().advance(Duration.ofMinutes(15));
            publish(query, second);
            assertThat(query.takeDuring(Duration.ofMinutes(1), Duration.ofSeconds(5)))
                    .containsExactly(second);
        }
    }

    @Test
    void whileCatchingUp_publishedEventsAreLeftToTheIndex() {
        List<Event> backlog = new ArrayList<>();
        for (int n = 1; n <= 20; n++) {
            backlog.add(event(ID, n, journal.at(Duration.ofMinutes(n - 25))));
        }
        journal.put(backlog);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.pages(5))) {
            assertThat(query.take(3)).isEqualTo(backlog.subList(0, 3));
            Event fresh = stored("cart|2", 1);
            publish(query, fresh);
            List<Event> rest = query.takeDuring(Duration.ofSeconds(6), SECOND);
            assertThat(rest).startsWith(backlog.get(3)).endsWith(fresh).hasSize(18);
        }
    }

    @Test
    void otherShardIsBehind_consumerWithOneOffset_doesNotGetThem(DynamoDbAsyncClient direct) {
        try (TestJournal several = new TestJournal(direct, proxy, "several-" + journal.table(), 4)) {
            proxy.on(RequestMatch.operation("Query").key("journal-cart-1"), Fault.internalServerError());
            Event event = event(several.id("cart", 0, 0), 1, several.at(Duration.ofSeconds(61)));
            several.put(event);
            SliceStart start = new SliceStart(several.at(Duration.ofMinutes(-2)), Map.of());
            try (TestSliceQuery query = TestSliceQuery.live(several, TestSettings.defaults(), start)) {
                query.takeDuring(Duration.ofSeconds(61));
                query.query().published(List.of(event));
                assertThat(query.takeDuring(Duration.ofSeconds(5))).isEmpty();
            }
            try (TestSliceQuery query = TestSliceQuery.perSlice(several, TestSettings.defaults(), slice -> start)) {
                assertThat(query.takeDuring(Duration.ofSeconds(5))).containsExactly(event);
                Event next = event(event.persistenceId(), 2, several.at(Duration.ZERO));
                several.put(next);
                query.query().published(List.of(next));
                assertThat(query.take()).as("an offset for each slice").containsExactly(next);
            }
        }
    }

    @Test
    void moreThanTheInboxHolds_areLeftToTheIndex_andNothingIsLost() {
        try (TestSliceQuery query = begun()) {
            Event second = stored(ID, 2);
            publish(query, second);
            query.runUntilQuiet(); // it waits to be taken, so that those that follow wait in the inbox
            List<Event> more = new ArrayList<>();
            for (int n = 3; n <= 150; n++) {
                more.add(event(ID, n, journal.at(Duration.ofMillis(n))));
            }
            journal.put(more);
            more.forEach(event -> publish(query, event));
            List<Event> taken = query.take();
            assertThat(taken).hasSize(101).startsWith(second).endsWith(more.get(99));
            assertThat(journal.requests()).isEmpty();
            assertThat(query.takeDuring(Duration.ofSeconds(4), SECOND)).isEqualTo(more.subList(100, more.size()));
        }
    }

    @Test
    void publishedEventThatWaitedLongForTheConsumer_doesNotOvertakeItsPredecessor() {
        try (TestSliceQuery query = begun()) {
            Event second = stored(ID, 2);
            publish(query, second);
            query.runUntilQuiet();
            Event third = stored(ID, 3);
            Event fourth = stored(ID, 4);
            publish(query, fourth); // the third was lost
            journal.clock().advance(Duration.ofMinutes(30));
            assertThat(query.takeDuring(Duration.ofSeconds(5), SECOND)).containsExactly(second, third, fourth);
        }
    }

    @Test
    void eventsThatWaitedForMinutes_comeOnceAndInOrder_thoughTheIndexHasShownThemMeanwhile() {
        try (TestSliceQuery query = begun(TestSettings.pages(60))) {
            query.takeDuring(Duration.ofMinutes(12)); // until all passes are done
            List<Event> events = new ArrayList<>();
            for (int n = 2; n <= 60; n++) {
                events.add(event(ID, n, journal.at(Duration.ofMillis(n))));
            }
            events.add(event("cart|2", 1, journal.at(SECOND)));
            journal.put(events);
            publish(query, events.get(0));
            query.runUntilQuiet(); // it waits to be taken, so that those that follow wait in the inbox
            events.subList(1, events.size()).forEach(event -> publish(query, event));
            journal.clock().advance(Duration.ofMinutes(30));
            for (int n = 61; n <= 90; n++) {
                events.add(stored(ID, n));
            }
            assertThat(query.takeDuring(Duration.ofMinutes(12), Duration.ofSeconds(5)))
                    .isEqualTo(events);
        }
    }

    @Test
    void microsecondOfMoreThanOnePage_comesOnce_thoughMoreEntitiesAreActiveThanAreRemembered() {
        Event first = event(ID, 1, journal.at(SECOND));
        journal.put(first);
        try (TestSliceQuery query =
                TestSliceQuery.live(journal, TestSettings.pages(2).remembered(2))) {
            assertThat(query.takeDuring(Duration.ofSeconds(5))).containsExactly(first);
            journal.clock().advance(Duration.ofMillis(10));
            assertThat(query.take()).isEmpty();
            List<Event> events = new ArrayList<>();
            for (int i = 0; i < 9; i++) {
                events.add(event("cart|" + i + "-" + i, 1, journal.at(Duration.ofMillis(1))));
            }
            journal.put(events);
            List<Event> taken = new ArrayList<>();
            for (Event event : events) {
                publish(query, event);
                taken.addAll(query.take());
            }
            taken.addAll(query.takeDuring(Duration.ofMinutes(12), Duration.ofSeconds(5)));
            assertThat(taken).containsExactlyInAnyOrderElementsOf(events);
        }
    }

    @Test
    void steadyStreamOfPublishedEvents_doesNotKeepTheIndexFromBeingRead() {
        try (TestSliceQuery query = begun()) {
            Event lost = stored("cart|2", 1);
            List<Event> taken = new ArrayList<>();
            for (int n = 2; n < 40; n++) {
                publish(query, stored(ID, n));
                publish(query, stored(ID, ++n));
                taken.addAll(query.take(1));
                journal.clock().advance(Duration.ofMillis(200));
            }
            assertThat(taken).contains(lost);
        }
    }

    @Test
    void lookupThatFails_isNoLoss_andStopsTheInboxUntilTheNextPoll() {
        try (TestSliceQuery query = begun()) {
            proxy.on(RequestMatch.operation("BatchGetItem"), Fault.internalServerError());
            for (int n = 2; n < 30; n++) {
                publish(query, stored("cart|" + n, 9));
            }
            assertThat(query.take()).isEmpty();
            assertThat(proxy.requests().size()).isEqualTo(1);
            assertThat(query.failure()).isEmpty();
            proxy.clear();
            assertThat(query.takeDuring(Duration.ofSeconds(8), SECOND)).hasSize(28);
        }
    }

    @Test
    void memoryIsFull_publishedEventsAreStillTaken() {
        List<Event> many = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            many.add(event("cart|" + i, 1, journal.at(SECOND) + i));
        }
        journal.put(many);
        try (TestSliceQuery query =
                TestSliceQuery.live(journal, TestSettings.defaults().remembered(5))) {
            assertThat(query.takeDuring(Duration.ofSeconds(5))).hasSize(10);
            journal.clock().advance(Duration.ofMillis(10));
            query.take();
            for (int i = 0; i < 8; i++) {
                Event event = stored("cart|new-" + i, 1);
                publish(query, event);
                assertThat(query.take()).as("event %s", i).isEqualTo(i < 5 ? List.of(event) : List.of());
            }
            assertThat(query.takeDuring(Duration.ofMinutes(12), Duration.ofSeconds(10)))
                    .as("the rest")
                    .hasSize(3);
        }
    }
}
