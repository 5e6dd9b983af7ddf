package io.varve.store.internal.slice;

import static io.varve.store.internal.slice.TestJournal.batch;
import static io.varve.store.internal.slice.TestJournal.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.Slices;
import io.varve.store.internal.layout.Event;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.TableNames;
import io.varve.testkit.internal.comparison.CapacityComparison;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** What a query costs: the exact requests, on one shard. */
@DynamoDBTest
class SliceCostTest {
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final String INDEX = "Query[slice-idx]";

    private final FaultProxy proxy;
    private final TestJournal journal;
    private final CapacityComparison capacities;

    SliceCostTest(DynamoDbAsyncClient direct, FaultProxy proxy, TableNames names) {
        this.proxy = proxy;
        this.journal = new TestJournal(direct, proxy, names.journal(), 1);
        this.capacities = CapacityComparison.of(proxy);
    }

    @AfterEach
    void close() {
        journal.close();
        assertThat(capacities.result().different()).isEmpty();
    }

    private static List<String> queries(int number) {
        return Collections.nCopies(number, INDEX);
    }

    /** Events of ten entities, a second apart. */
    private List<Event> stored(int number, Duration first) {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            events.add(event("cart|" + i % 10, 1 + i / 10, journal.at(first) + i * 1_000_000L));
        }
        journal.put(events);
        return events;
    }

    @ParameterizedTest
    @CsvSource({"0,1", "99,1", "100,2", "250,3"})
    void catchingUp_isOneQueryForEachPage_andReadsEachEventOnce(int events, int pages) {
        List<Event> stored = stored(events, DAY.negated());
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.pages(100))) {
            assertThat(query.take()).isEqualTo(stored);
        }
        assertThat(journal.requests()).isEqualTo(queries(pages));
        assertThat(journal.entriesRead()).isEqualTo(events);
    }

    @Test
    void atomicWritesWithinAPage_costNothingMore() {
        List<Event> stored = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            Optional<String> chain = i % 2 == 0 ? Optional.of("chain-" + i) : Optional.empty();
            stored.addAll(batch("cart|" + i, 1, 5, journal.at(DAY.negated()) + i * 10L, chain));
        }
        journal.put(stored);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.pages(50))) {
            assertThat(query.take()).isEqualTo(stored);
        }
        assertThat(journal.requests()).isEqualTo(queries(5));
        assertThat(journal.entriesRead()).isEqualTo(200);
    }

    @Test
    void atomicWriteAcrossPages_isOneQueryOfTheTableMore() {
        List<Event> stored = batch("cart|1", 1, 10, journal.at(DAY.negated()), Optional.empty());
        journal.put(stored);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.pages(4))) {
            assertThat(query.take()).isEqualTo(stored);
        }
        assertThat(journal.requests()).containsExactly(INDEX, "Query", INDEX, INDEX);
    }

    @Test
    void chainAcrossPages_isOneGetMore() {
        List<Event> stored = batch("cart|1", 1, 10, journal.at(DAY.negated()), Optional.of("chain"));
        journal.put(stored);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.pages(4))) {
            assertThat(query.take()).isEqualTo(stored);
        }
        assertThat(journal.requests()).containsExactly(INDEX, "GetItem", INDEX, INDEX);
    }

    @Test
    void newEvents_ofKnownAndOfNewEntities_costNothingMore_andThoseOfUnknownEntitiesOneRequestForAPage() {
        Duration longAgo = DAY.negated();
        List<Event> old = List.of(
                event("cart|1", 1, journal.at(longAgo)),
                event("cart|2", 1, journal.at(longAgo) + 1),
                event("cart|3", 1, journal.at(longAgo) + 2));
        journal.put(old);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults())) {
            assertThat(query.take()).isEqualTo(old);
            List<Event> unknown = List.of(
                    event("cart|1", 2, journal.at(SECOND)),
                    event("cart|2", 2, journal.at(SECOND) + 1),
                    event("cart|new", 1, journal.at(SECOND) + 2));
            journal.put(unknown);
            assertThat(query.takeDuring(Duration.ofSeconds(4))).isEqualTo(unknown);
            assertThat(journal.tableRequests()).containsExactly("BatchGetItem(2)");
            proxy.requests().clear();
            List<Event> known = List.of(
                    event("cart|1", 3, journal.at(SECOND)),
                    event("cart|1", 4, journal.at(SECOND) + 1),
                    event("cart|2", 3, journal.at(SECOND) + 2),
                    event("cart|new", 2, journal.at(SECOND) + 3));
            journal.put(known);
            assertThat(query.takeDuring(Duration.ofSeconds(4))).isEqualTo(known);
            assertThat(journal.tableRequests()).isEmpty();
        }
    }

    @Test
    void newEvent_isReadTwiceMore_byBacktrackingAndBySweep_thenNeverAgain() {
        List<Event> old = stored(50, DAY.negated());
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.pages(20))) {
            assertThat(query.takeDuring(Duration.ofSeconds(9))).isEqualTo(old);
            assertThat(journal.entriesRead()).isEqualTo(50);
            for (int i = 1; i <= 30; i++) {
                Event event = event("cart|" + i % 7, 100 + i / 7, journal.at(SECOND));
                journal.put(event);
                assertThat(query.takeDuring(Duration.ofSeconds(4))).containsExactly(event);
            }
            assertThat(query.takeDuring(Duration.ofSeconds(20))).isEmpty();
            int polls = 83; // that find nothing new, and read the last event again while it is younger than ten seconds
            assertThat(journal.entriesRead()).as("after backtracking").isEqualTo(50 + 2 * 30 + polls);
            assertThat(query.takeDuring(Duration.ofMinutes(13))).isEmpty();
            assertThat(journal.entriesRead()).as("after the sweep").isEqualTo(50 + 3 * 30 + polls);
            proxy.requests().clear();
            assertThat(query.takeDuring(Duration.ofMinutes(30))).isEmpty();
            assertThat(journal.requests()).isEqualTo(queries(30 * 60 / 3));
            assertThat(journal.entriesRead()).isZero();
        }
    }

    @Test
    void restart_readsNothingThatIsBeforeThePlacesOfSlicesAndTheFloorOfTheOthers() {
        List<Event> stored = stored(250, DAY.negated());
        Event last = stored.get(stored.size() - 1);
        SliceStart place = new SliceStart(last.timestamp(), Map.of(last.persistenceId(), last.sequenceNumber()));
        SliceStart floor = new SliceStart(last.timestamp() + 1, Map.of());
        Set<Integer> known =
                stored.stream().map(event -> Slices.of(event.persistenceId())).collect(Collectors.toSet());
        try (TestSliceQuery query = TestSliceQuery.perSlice(
                journal, TestSettings.pages(1_000), slice -> known.contains(slice) ? place : floor)) {
            List<Event> again = query.take();
            assertThat(again).isNotEmpty().allMatch(event -> event.timestamp() >= last.timestamp() - 120_000_000);
            assertThat(journal.entriesRead()).isEqualTo(121);
        }
    }

    @Test
    void pageOfOldAndNewEvents_onlyTheNewOnesAreReadAgain() {
        // From 20 minutes ago, a minute apart: ten older than the sweep's window, ten younger.
        List<Event> stored = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            stored.add(event("cart|" + i, 1, journal.at(Duration.ofMinutes(i - 20)) + 30_000_000));
        }
        journal.put(stored);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults())) {
            assertThat(query.takeDuring(Duration.ofMinutes(30))).isEqualTo(stored);
            assertThat(journal.entriesRead()).isEqualTo(20 + 10 + 10);
        }
    }

    @Test
    void pollsOfAShardThatBecomesQuiet_takeLonger() {
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults())) {
            query.takeDuring(Duration.ofSeconds(9));
            journal.put(event("cart|1", 1, journal.at(SECOND)));
            assertThat(query.takeDuring(Duration.ofSeconds(3))).hasSize(1);
            // The polls of a shard keep to its own turns and half-turns, so that those of all shards stay apart.
            List<Duration> waits = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                Duration wait = query.query().untilNextStep().orElseThrow();
                waits.add(wait);
                query.takeDuring(wait);
            }
            assertThat(waits)
                    .containsExactly(
                            Duration.ofMillis(375),
                            Duration.ofMillis(1_125),
                            Duration.ofMillis(1_500),
                            Duration.ofSeconds(3),
                            Duration.ofSeconds(3));
        }
    }

    /** An idle shard is asked 100 times in five minutes. */
    @ParameterizedTest
    @CsvSource({"375, 200", "150, 200", "1500, 300", "2999, 300", "3000, 300", "3001, 300", "6000, 200"})
    void eventsOfAShard_howeverOftenTheyCome_makeItBeAskedAtMostThreeTimesInARefreshInterval(int every, int most) {
        Duration time = Duration.ofMinutes(5);
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults())) {
            query.takeDuring(Duration.ofSeconds(9));
            int events = (int) (time.toMillis() / every);
            List<Event> stored = new ArrayList<>();
            for (int i = 0; i < events; i++) {
                stored.add(event("cart|1", i + 1, journal.at(Duration.ofMillis((long) every * i + 1))));
            }
            journal.put(stored);
            proxy.requests().clear();
            query.takeDuring(time);
            long polls = proxy.requests()
                    .where(request -> request.index().isPresent())
                    .requests()
                    .size();
            long trails = time.toSeconds() / 10;
            assertThat(polls - trails).isBetween(100L, most + 2L);
        }
    }

    @Test
    void expiredAndDeletedPredecessors_areLookedForOnce() {
        journal.put(event("cart|1", 7, journal.at(SECOND)));
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults())) {
            assertThat(query.takeDuring(Duration.ofSeconds(6))).hasSize(1);
            assertThat(journal.tableRequests()).containsExactly("BatchGetItem(1)", "Query");
        }
    }

    @Test
    void entityWithAHistoryThatIsNotInTheIndex_isNotReadToItsBeginning() {
        capacities.stop();
        // The index was added later: what was stored before is not in it.
        List<Event> history = new ArrayList<>();
        for (int n = 1; n <= 300; n++) {
            Event event = event("cart|1", n, journal.at(Duration.ofHours(-1)) + n);
            history.add(event);
            journal.hide(event);
        }
        journal.put(history);
        Event fresh = event("cart|1", 301, journal.at(SECOND));
        Event next = event("cart|2", 5, journal.at(SECOND.multipliedBy(5)));
        journal.put(fresh, event("cart|2", 4, journal.at(Duration.ofHours(-2))));
        journal.hide(event("cart|2", 4, 0));
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults())) {
            assertThat(query.takeDuring(Duration.ofSeconds(6))).containsExactly(fresh);
            journal.put(next);
            assertThat(query.takeDuring(Duration.ofSeconds(6))).containsExactly(next);
            assertThat(journal.tableRequests()).containsExactly("BatchGetItem(1)", "BatchGetItem(1)");
        }
    }
}
