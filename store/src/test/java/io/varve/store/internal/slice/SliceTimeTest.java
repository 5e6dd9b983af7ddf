package io.varve.store.internal.slice;

import static io.varve.store.internal.slice.TestJournal.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.SliceRange;
import io.varve.store.Slices;
import io.varve.store.internal.append.AppendResult;
import io.varve.store.internal.journal.TestStore;
import io.varve.store.internal.layout.Event;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.TableNames;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Equal timestamps, clocks that are wrong, late entries, entities that begin anew, events that expire. */
@DynamoDBTest
class SliceTimeTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration HOUR = Duration.ofHours(1);

    private final FaultProxy proxy;
    private final TestJournal journal;

    SliceTimeTest(DynamoDbAsyncClient direct, FaultProxy proxy, TableNames names) {
        this.proxy = proxy;
        this.journal = new TestJournal(direct, proxy, names.journal(), 1);
    }

    @AfterEach
    void close() {
        journal.close();
    }

    private List<Event> atOnce(int number, long timestamp) {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            events.add(event("cart|" + i, 1, timestamp));
        }
        journal.put(events);
        return events;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 100})
    void eventsOfOneMicrosecond_comeOnce_alsoTheLateOnesAmongThem(int page) {
        List<Event> events = atOnce(9, journal.at(SECOND));
        Event[] late = {events.get(0), events.get(4), events.get(8)};
        journal.hide(late);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.pages(page))) {
            assertThat(query.takeDuring(Duration.ofSeconds(6), SECOND))
                    .hasSize(6)
                    .doesNotContain(late);
            journal.show(late);
            assertThat(query.takeDuring(Duration.ofSeconds(20), SECOND)).containsExactlyInAnyOrder(late);
            assertThat(query.takeDuring(Duration.ofMinutes(12), Duration.ofSeconds(20)))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 100})
    void eventOfTheMicrosecondThatWasReadLast_comesWithTheNextRequest_whateverItsKey(int page) {
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.pages(page))) {
            for (int late = 0; late < 6; late++) {
                List<Event> events = new ArrayList<>();
                for (int i = 0; i < 6; i++) {
                    events.add(event("cart|" + late + "-" + i, 1, journal.at(SECOND)));
                }
                Event hidden = events.remove(late);
                journal.put(events);
                assertThat(query.takeDuring(Duration.ofSeconds(5))).containsExactlyInAnyOrderElementsOf(events);
                journal.put(hidden);
                assertThat(query.takeDuring(Duration.ofSeconds(3)))
                        .as("%s", hidden.persistenceId())
                        .containsExactly(hidden);
            }
            assertThat(query.takeDuring(Duration.ofMinutes(12), Duration.ofSeconds(20)))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 100})
    void startAtAMicrosecondOfManyEvents_bringsThoseThatWereNotSeen(int page) {
        List<Event> events = atOnce(9, journal.at(SECOND.negated()));
        Map<String, Long> seen = Map.of("cart|1", 1L, "cart|5", 1L, "cart|8", 1L);
        SliceStart start = new SliceStart(journal.at(SECOND.negated()), seen);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.pages(page), start)) {
            assertThat(query.takeDuring(Duration.ofMinutes(1), SECOND))
                    .containsExactlyInAnyOrderElementsOf(events.stream()
                            .filter(event -> !seen.containsKey(event.persistenceId()))
                            .toList());
        }
    }

    @Test
    void start_bringsTheWindowBeforeItAgain_andNothingOlder() {
        Event older = event("cart|1", 1, journal.at(Duration.ofSeconds(-121)));
        Event window = event("cart|1", 2, journal.at(Duration.ofSeconds(-119)));
        Event handled = event("cart|2", 1, journal.at(Duration.ofSeconds(-1)));
        Event seen = event("cart|3", 1, journal.at(Duration.ZERO));
        journal.put(older, window, handled, seen);
        SliceStart start = new SliceStart(seen.timestamp(), Map.of("cart|3", 1L));
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults(), start)) {
            assertThat(query.takeDuring(Duration.ofMinutes(12), Duration.ofSeconds(10)))
                    .containsExactly(window, handled);
        }
    }

    @Test
    void slicesOfAShardWithDifferentStarts_eachBeginAtTheirOwn() {
        Event a1 = event("cart|1", 1, journal.at(Duration.ofHours(-3)));
        Event a2 = event("cart|1", 2, journal.at(Duration.ofHours(-1)));
        Event b1 = event("cart|2", 1, journal.at(Duration.ofHours(-3)));
        Event b2 = event("cart|2", 2, journal.at(Duration.ofHours(-1)));
        journal.put(a1, a2, b1, b2);
        int slice = Slices.of("cart|2");
        try (TestSliceQuery query = TestSliceQuery.perSlice(
                journal,
                TestSettings.defaults(),
                other -> other == slice
                        ? new SliceStart(b1.timestamp(), Map.of("cart|2", 1L))
                        : new SliceStart(a2.timestamp(), Map.of("cart|1", 2L)))) {
            assertThat(query.takeDuring(Duration.ofSeconds(6))).containsExactly(b2);
        }
    }

    @Test
    void floor_isNotAheadOfTheClock_afterItWasSetBack() {
        Event first = event("cart|1", 1, journal.at(Duration.ofSeconds(1)));
        journal.put(first);
        try (TestSliceQuery query =
                TestSliceQuery.perSlice(journal, TestSettings.defaults(), slice -> new SliceStart(0, Map.of()))) {
            query.takeDuring(Duration.ofSeconds(5));
            journal.clock().advance(Duration.ofHours(1));
            query.take();
            journal.clock().advance(Duration.ofHours(-1));
            Event second = event("cart|1", 2, journal.at(Duration.ofMillis(1)));
            journal.put(second);
            List<SliceEvent> taken = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                journal.clock().advance(Duration.ofSeconds(1));
                taken.addAll(query.takeDeliveries(Integer.MAX_VALUE));
            }
            assertThat(taken).extracting(SliceEvent::event).containsExactly(second);
            assertThat(taken.get(0).floor()).isLessThanOrEqualTo(second.timestamp());
        }
    }

    @Test
    void sliceOfWhichNothingIsKnown_beginsAtTheBeginning_howeverFarItsNeighboursAre() {
        Event a1 = event("cart|1", 1, journal.at(Duration.ofHours(-3)));
        Event b1 = event("cart|2", 1, journal.at(Duration.ofHours(-2)));
        Event a2 = event("cart|1", 2, journal.at(Duration.ofHours(-1)));
        journal.put(a1, b1, a2);
        int slice = Slices.of("cart|1");
        try (TestSliceQuery query = TestSliceQuery.perSlice(
                journal,
                TestSettings.defaults(),
                other ->
                        other == slice ? new SliceStart(a1.timestamp(), Map.of("cart|1", 1L)) : SliceStart.BEGINNING)) {
            assertThat(query.takeDuring(Duration.ofSeconds(6))).containsExactly(b1, a2);
        }
    }

    @Test
    void lateEventBehindALaterOne_isFoundByBacktracking() {
        Event late = event("cart|1", 1, journal.at(SECOND));
        Event other = event("cart|2", 1, journal.at(SECOND) + 1);
        journal.put(late, other);
        journal.hide(late);
        try (TestSliceQuery query =
                TestSliceQuery.live(journal, TestSettings.defaults().withoutSweep())) {
            assertThat(query.takeDuring(Duration.ofSeconds(9), SECOND)).containsExactly(other);
            journal.show(late);
            assertThat(query.takeDuring(Duration.ofSeconds(14), SECOND)).containsExactly(late);
        }
    }

    @Test
    void eventThatIsLaterThanBacktracking_isFoundByTheSweep() {
        Event late = event("cart|1", 1, journal.at(SECOND));
        Event other = event("cart|2", 1, journal.at(SECOND) + 1);
        journal.put(late, other);
        journal.hide(late);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults())) {
            assertThat(query.takeDuring(Duration.ofMinutes(9), Duration.ofSeconds(10)))
                    .containsExactly(other);
            journal.show(late);
            assertThat(query.takeDuring(Duration.ofMinutes(3), SECOND)).containsExactly(late);
        }
    }

    @Test
    void predecessorThatIsMissingInTheIndex_comesFromTheTable_whetherTheEntityIsKnownOrNot() {
        Event a1 = event("cart|1", 1, journal.at(SECOND));
        Event a2 = event("cart|1", 2, journal.at(SECOND) + 1);
        Event a3 = event("cart|1", 3, journal.at(SECOND) + 2);
        Event b1 = event("cart|2", 1, journal.at(SECOND));
        Event b2 = event("cart|2", 2, journal.at(SECOND) + 1);
        Event b3 = event("cart|2", 3, journal.at(SECOND) + 2);
        journal.put(a1, a2, a3, b1, b2, b3);
        journal.hide(a2, b1, b2);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults())) {
            assertThat(query.takeDuring(Duration.ofSeconds(6), SECOND)).containsExactly(a1, a2, a3, b1, b2, b3);
            assertThat(journal.tableRequests()).containsExactlyInAnyOrder("BatchGetItem(1)", "Query", "Query");
        }
    }

    @Test
    void withoutSweep_predecessorThatIsLateByLessThanTheTrustedAge_isStillMissed() {
        Event a1 = event("cart|1", 1, journal.at(SECOND));
        Event a2 = event("cart|1", 2, journal.at(SECOND) + 1);
        Event b1 = event("cart|2", 1, journal.at(SECOND) + 2);
        Event b2 = event("cart|2", 2, journal.at(Duration.ofSeconds(60)));
        journal.put(a1, a2, b1, b2);
        journal.hide(a2);
        try (TestSliceQuery query =
                TestSliceQuery.live(journal, TestSettings.defaults().withoutSweep())) {
            assertThat(query.takeDuring(Duration.ofSeconds(100), SECOND)).containsExactly(a1, b1, b2);
            Event a3 = event("cart|1", 3, journal.at(SECOND));
            journal.put(a3);
            assertThat(query.takeDuring(Duration.ofSeconds(10), SECOND)).containsExactly(a2, a3);
            journal.show(a2);
            assertThat(query.takeDuring(Duration.ofMinutes(5), Duration.ofSeconds(5)))
                    .isEmpty();
        }
    }

    @Test
    void lateEvent_isNotOvertaken_byOneThatIsOldWhenThePausedConsumerComesToIt() {
        Event first = event("cart|1", 1, journal.at(SECOND));
        Event late = event("cart|1", 2, journal.at(SECOND) + 1);
        Event other = event("cart|2", 1, journal.at(SECOND) + 2);
        journal.put(first, late, other);
        journal.hide(late);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults())) {
            assertThat(query.takeDuring(Duration.ofSeconds(30), SECOND)).containsExactly(first, other);
            Event third = event("cart|1", 3, journal.at(SECOND));
            journal.put(third);
            journal.clock().advance(Duration.ofMinutes(18));
            journal.show(late);
            assertThat(query.takeDuring(Duration.ofSeconds(6), SECOND)).containsExactly(late, third);
        }
    }

    @Test
    void clockThatIsSetBack_pollingGoesOn_andNothingComesTwice() {
        Event first = event("cart|1", 1, journal.at(SECOND));
        journal.put(first);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults())) {
            assertThat(query.takeDuring(Duration.ofMinutes(5), Duration.ofSeconds(10)))
                    .containsExactly(first);
            journal.clock().advance(HOUR.negated());
            assertThat(query.takeDuring(Duration.ofMinutes(10), Duration.ofSeconds(10)))
                    .isEmpty();
            assertThat(query.query().untilNextStep().orElseThrow()).isLessThanOrEqualTo(Duration.ofSeconds(3));
            journal.clock().advance(HOUR.minusMinutes(10));
            Event second = event("cart|1", 2, journal.at(SECOND));
            journal.put(second);
            assertThat(query.takeDuring(Duration.ofSeconds(6), SECOND)).containsExactly(second);
        }
    }

    @Test
    void clockThatWasAheadAndIsSetRight_eventsOfOtherNodesComeAtOnce() {
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults())) {
            query.takeDuring(Duration.ofSeconds(6), SECOND);
            journal.clock().advance(HOUR.negated());
            Event event = event("cart|1", 1, journal.at(SECOND));
            journal.put(event);
            assertThat(query.takeDuring(Duration.ofSeconds(6), SECOND)).containsExactly(event);
        }
    }

    @Test
    void writerWhoseClockIsAnHourAhead_itsEventComesWhenItsTimeComes_andIsNotTakenWhenPublished() {
        TestStore ahead = journal.writer(HOUR);
        AppendResult.Stored stored = (AppendResult.Stored) ahead.append("cart|1", 1, 1);
        TestStore right = journal.writer(Duration.ZERO);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults())) {
            query.takeDuring(Duration.ofSeconds(6), SECOND);
            query.query().published(stored.events());
            assertThat(query.takeDuring(Duration.ofSeconds(6), SECOND)).isEmpty();
            right.append("cart|2", 1, 1);
            assertThat(query.takeDuring(Duration.ofSeconds(6), SECOND))
                    .extracting(Event::persistenceId)
                    .containsExactly("cart|2");
            assertThat(query.takeDuring(HOUR, Duration.ofMinutes(1))).isEqualTo(stored.events());
        }
    }

    @Test
    void currentQueryFromAnOffsetAhead_ends() {
        SliceStart start = new SliceStart(journal.at(HOUR), Map.of());
        try (TestSliceQuery query =
                TestSliceQuery.current(journal, TestSettings.defaults(), start, SliceRange.all("cart"))) {
            assertThat(query.take()).isEmpty();
            assertThat(query.query().isFinished()).isTrue();
        }
        assertThat(proxy.requests().size()).isZero();
    }

    @Test
    void entityThatWasDeletedAndBeginsAnew_comesWithItsNewNumbers() {
        List<Event> old = new ArrayList<>();
        for (int n = 1; n <= 5; n++) {
            old.add(event("cart|1", n, journal.at(SECOND) + n));
        }
        journal.put(old);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults())) {
            assertThat(query.takeDuring(Duration.ofSeconds(6), SECOND)).isEqualTo(old);
            old.forEach(journal::remove);
            Event first = event("cart|1", 1, journal.at(SECOND));
            Event second = event("cart|1", 2, journal.at(SECOND) + 1);
            Event third = event("cart|1", 3, journal.at(SECOND) + 2);
            journal.put(first, second, third);
            journal.hide(second);
            assertThat(query.takeDuring(Duration.ofSeconds(6), SECOND)).containsExactly(first, second, third);
            journal.show(second);
            assertThat(query.takeDuring(Duration.ofMinutes(12), Duration.ofSeconds(10)))
                    .isEmpty();
        }
    }

    @Test
    void expiredEvents_areNotDelivered() {
        Event gone = expiring(event("cart|1", 1, journal.at(HOUR.negated())), Duration.ofMinutes(-1));
        Event left = event("cart|1", 2, journal.at(HOUR.negated()) + 1);
        Event goneToo = expiring(event("cart|1", 3, journal.at(SECOND)), Duration.ZERO);
        Event fresh = expiring(event("cart|1", 4, journal.at(SECOND) + 1), HOUR);
        journal.put(gone, left, goneToo, fresh);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.pages(1))) {
            assertThat(query.takeDuring(Duration.ofMinutes(12), Duration.ofSeconds(10)))
                    .containsExactly(left, fresh);
        }
    }

    private Event expiring(Event event, Duration after) {
        return new Event(
                event.persistenceId(),
                event.sequenceNumber(),
                event.payload(),
                event.writer(),
                event.manifest(),
                event.metadata(),
                event.tags(),
                event.timestamp(),
                event.batch(),
                Optional.of(Instant.ofEpochSecond(journal.at(after) / 1_000_000)),
                event.legacy());
    }

    @Test
    void moreEntitiesThanAreRemembered_nothingComesTwice() {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            events.add(event("cart|" + i % 20, 1 + i / 20, journal.at(SECOND) + i / 2));
        }
        journal.put(events);
        for (int page : List.of(1, 3, 100)) {
            try (TestSliceQuery query =
                    TestSliceQuery.current(journal, TestSettings.pages(page).remembered(2))) {
                assertThat(query.take()).containsExactlyInAnyOrderElementsOf(events);
            }
            try (TestSliceQuery query =
                    TestSliceQuery.live(journal, TestSettings.pages(page).remembered(2))) {
                assertThat(query.takeDuring(Duration.ofMinutes(12), Duration.ofSeconds(5)))
                        .containsExactlyInAnyOrderElementsOf(events);
            }
        }
    }
}
