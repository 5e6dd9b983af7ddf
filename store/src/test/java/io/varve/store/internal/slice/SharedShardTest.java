package io.varve.store.internal.slice;

import static io.varve.store.internal.slice.TestJournal.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.SliceRange;
import io.varve.store.internal.layout.Event;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Live queries of one node read the shards of the index together. */
@DynamoDBTest
class SharedShardTest {
    private static final int SHARDS = 16;
    /** Of each query, where one shard is held. */
    private static final int HELD = 1;

    private static final Duration TURN = Duration.ofSeconds(3);
    /** So that each shard's turns and half-turns are met exactly. */
    private static final Duration STEP = TURN.dividedBy(2L * SHARDS);

    private final FaultProxy proxy;
    private final TestJournal journal;
    private final SliceIndex index;
    private final List<TestSliceQuery> queries = new ArrayList<>();
    private final List<List<Event>> taken = new ArrayList<>();

    SharedShardTest(FaultProxy proxy, DynamoDbAsyncClient direct, TableNames names) {
        this.proxy = proxy;
        this.journal = new TestJournal(direct, proxy, names.journal(), SHARDS);
        this.index = journal.index();
    }

    @AfterEach
    void close() {
        queries.forEach(TestSliceQuery::close);
        journal.close();
    }

    @Test
    void tenIdleQueries_whereverTheyBegan_costWhatOneCosts() {
        List<Event> old = oneEventOfEveryOtherShard();
        for (int i = 0; i < 10; i++) {
            long start = i % 3 == 0 ? 0 : journal.at(Duration.ofMinutes(-i));
            start(new SliceStart(start, Map.of()));
            pass(Duration.ofMillis(700));
        }
        pass(Duration.ofSeconds(12));
        assertThat(taken.get(0)).hasSameElementsAs(old);
        proxy.requests().clear();
        pass(Duration.ofSeconds(90));
        assertThat(proxy.requests().size()).isEqualTo(90 * SHARDS / 3);
    }

    /** What one query reads: each event by the plain pass, backtracking and the sweep, and the last of each shard while it is young. */
    @ParameterizedTest
    @ValueSource(ints = {1, 5})
    void newEvents_areReadOnceForAllQueries_andComeToEach(int number) {
        for (int i = 0; i < number; i++) {
            start(SliceStart.BEGINNING);
        }
        pass(Duration.ofSeconds(12));
        proxy.requests().clear();
        List<Event> stored = new ArrayList<>();
        for (int n = 1; n <= 5; n++) {
            for (int i = 0; i < 7; i++) {
                Event event = event(journal.id("cart", i, 0), n, journal.at(Duration.ZERO) + i);
                stored.add(event);
                journal.put(event);
            }
            pass(Duration.ofSeconds(4));
        }
        pass(Duration.ofMinutes(12));
        assertThat(taken)
                .hasSize(number)
                .allSatisfy(some -> assertThat(some).hasSameElementsAs(stored).hasSameSizeAs(stored));
        assertThat(journal.entriesRead()).isEqualTo(218);
        assertThat(journal.requests().size()).isEqualTo(4_040);
    }

    @Test
    void slowConsumer_holdsUpNobody_getsAllFromItsOwnRequests_andThenReadsWithTheOthersAgain() {
        start(SliceStart.BEGINNING);
        TestSliceQuery slow = start(SliceStart.BEGINNING);
        List<Event> stored = new ArrayList<>();
        List<Event> bySlow = new ArrayList<>();
        pass(Duration.ofSeconds(12));
        queries.remove(slow);
        for (int n = 1; n <= 300; n++) {
            Event event = event(journal.id("cart", 3, n % 2), (n + 1) / 2, journal.at(Duration.ZERO));
            stored.add(event);
            journal.put(event);
            pass(STEP);
            slow.runUntilQuiet();
            if (n % 50 == 0) {
                bySlow.addAll(slow.take(1));
            }
        }
        pass(TURN);
        assertThat(taken.get(0)).as("by the fast one").isEqualTo(stored);
        assertThat(bySlow).as("meanwhile").hasSize(6);
        bySlow.addAll(slow.take());
        queries.add(slow);
        pass(Duration.ofSeconds(30));
        bySlow.addAll(taken.get(1));
        assertThat(bySlow).as("by the slow one").isEqualTo(stored);
        pass(Duration.ofMinutes(13));
        proxy.requests().clear();
        pass(Duration.ofSeconds(90));
        assertThat(proxy.requests().size()).isEqualTo(90 * SHARDS / 3);
    }

    @Test
    void queryWhoseRequestTheOthersWaitFor_ends_andTheyGetItsAnswer() {
        TestSliceQuery first = start(SliceStart.BEGINNING);
        start(SliceStart.BEGINNING);
        pass(Duration.ofSeconds(12));
        Event event = event(journal.id("cart", 3, 0), 1, journal.at(Duration.ZERO));
        journal.put(event);
        proxy.requests().clear();
        Gate gate = proxy.hold(RequestMatch.operation("Query").key("journal-cart-3"));
        TestSliceQuery second = queries.get(1);
        while (gate.arrivals() == 0) {
            journal.clock().advance(STEP);
            settle(first);
            settle(second);
        }
        first.close();
        queries.remove(first);
        gate.releaseAll();
        assertThat(second.take()).containsExactly(event);
        assertThat(proxy.requests()
                        .where(request -> request.partitionKeys().contains("journal-cart-3"))
                        .size())
                .isEqualTo(1);
        proxy.requests().clear();
        taken.remove(0);
        pass(Duration.ofSeconds(90));
        assertThat(proxy.requests().size()).isGreaterThanOrEqualTo(90 * SHARDS / 3);
    }

    @Test
    void requestThatFails_failsForAllThatWaitForIt_andEachTriesAgain() {
        start(SliceStart.BEGINNING);
        start(SliceStart.BEGINNING);
        pass(Duration.ofSeconds(12));
        Event event = event(journal.id("cart", 3, 0), 1, journal.at(Duration.ZERO));
        journal.put(event);
        proxy.on(RequestMatch.operation("Query").key("journal-cart-3").times(1), Fault.internalServerError());
        pass(Duration.ofSeconds(20));
        assertThat(taken).allSatisfy(some -> assertThat(some).containsExactly(event));
    }

    @Test
    void clockThatIsSetBack_makesNobodyGetAnOldPage_andTheyReadTogetherOn() {
        start(SliceStart.BEGINNING);
        start(SliceStart.BEGINNING);
        pass(Duration.ofSeconds(12));
        journal.clock().advance(Duration.ofHours(-1));
        pass(Duration.ofSeconds(12));
        proxy.requests().clear();
        pass(Duration.ofSeconds(90));
        assertThat(proxy.requests().size()).isEqualTo(90 * SHARDS / 3);
        Event event = event(journal.id("cart", 3, 0), 1, journal.at(Duration.ZERO));
        journal.put(event);
        pass(Duration.ofSeconds(4));
        assertThat(taken).allSatisfy(some -> assertThat(some).containsExactly(event));
    }

    private List<Event> oneEventOfEveryOtherShard() {
        List<Event> events = new ArrayList<>();
        for (int shard = 0; shard < SHARDS; shard += 2) {
            events.add(event(journal.id("cart", shard, 0), 1, journal.at(Duration.ofDays(-1))));
        }
        journal.put(events);
        return events;
    }

    private TestSliceQuery start(SliceStart start) {
        TestSliceQuery query = new TestSliceQuery(
                journal,
                index,
                TestSettings.defaults().get(),
                new SliceQuery.Plan((type, slice) -> start, true, true),
                SliceRange.all("cart"));
        queries.add(query);
        taken.add(new ArrayList<>());
        return query;
    }

    /** Runs a query until nothing is under way but what is held. */
    private static void settle(TestSliceQuery query) {
        query.query().proceed();
        query.runUntil(() -> query.query().underWay() <= HELD);
    }

    /** Time passes, and all queries take what comes. */
    private void pass(Duration time) {
        for (Duration passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plus(STEP)) {
            journal.clock().advance(STEP);
            for (int i = 0; i < queries.size(); i++) {
                taken.get(i).addAll(queries.get(i).take());
            }
        }
    }
}
