package io.varve.store.internal.slice;

import static io.varve.store.internal.slice.TestJournal.event;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.internal.layout.Event;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Who keeps one offset for all shards can go on from it, whatever the shards' pace. */
@DynamoDBTest
class SliceMergeTest {
    private final FaultProxy proxy;
    private final TestJournal journal;

    SliceMergeTest(DynamoDbAsyncClient direct, FaultProxy proxy, TableNames names) {
        this.proxy = proxy;
        this.journal = new TestJournal(direct, proxy, names.journal());
    }

    @AfterEach
    void close() {
        journal.close();
    }

    private Event of(int shard, int n, Duration when) {
        return event(journal.id("cart", shard, n), 1, journal.at(when));
    }

    @Test
    void eventsOfAShard_waitForOneThatIsBehind() {
        Event old = of(1, 0, Duration.ofMinutes(-30));
        Event young = of(0, 0, Duration.ofMinutes(-1));
        journal.put(old, young);
        Gate gate = proxy.hold(RequestMatch.operation("Query").key("journal-cart-1"));
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults())) {
            // The other shards have answered when the young event is there, and waits.
            journal.clock().advance(Duration.ofSeconds(1));
            query.query().proceed();
            gate.awaitArrival();
            awaitAnswers(query, 3);
            assertThat(query.query().poll()).isNull();
            gate.releaseAll();
            assertThat(query.take()).containsExactly(old, young);
        }
    }

    @Test
    void eventsOfAShard_doNotWait_whereEachSliceHasItsOffset() {
        Event old = of(1, 0, Duration.ofMinutes(-30));
        Event young = of(0, 0, Duration.ofMinutes(-1));
        journal.put(old, young);
        Gate gate = proxy.hold(RequestMatch.operation("Query").key("journal-cart-1"));
        try (TestSliceQuery query =
                TestSliceQuery.perSlice(journal, TestSettings.defaults(), slice -> SliceStart.BEGINNING)) {
            journal.clock().advance(Duration.ofSeconds(1));
            query.query().proceed();
            gate.awaitArrival();
            awaitAnswers(query, 3);
            assertThat(requireNonNull(query.query().poll()).event()).isEqualTo(young);
            gate.releaseAll();
            assertThat(query.take()).containsExactly(old);
        }
    }

    /** Until so many shards have been read, each with a first page. */
    private void awaitAnswers(TestSliceQuery query, int shards) {
        while (query.query().underWay() > TestJournal.SHARDS - shards) {
            query.waitForTask();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void currentQuery_isInTheOrderOfTimestamps(long seed) {
        Random random = new Random(seed);
        List<Event> stored = new ArrayList<>();
        long time = journal.at(Duration.ofHours(-1));
        for (int i = 0; i < 300; i++) {
            time += random.nextInt(3) == 0 ? 0 : random.nextInt(20_000_000);
            stored.add(event(journal.id("cart", random.nextInt(4), i), 1, time));
        }
        journal.put(stored);
        try (TestSliceQuery query = TestSliceQuery.current(journal, TestSettings.pages(1 + random.nextInt(10)))) {
            List<Event> taken = query.take();
            assertThat(taken).hasSameElementsAs(stored).hasSameSizeAs(stored);
            assertThat(taken).extracting(Event::timestamp).isSorted();
            assertThat(query.query().isFinished()).isTrue();
        }
    }

    @Test
    void consumerThatStopsAfterAnyEvent_missesNothingWhenItGoesOn() {
        // A backlog of unequal shards, most of it older than the window of a restart.
        List<Event> stored = new ArrayList<>();
        for (int shard = 0; shard < 4; shard++) {
            int number = shard == 0 ? 40 : 4;
            for (int i = 0; i < number; i++) {
                Duration age = Duration.ofMinutes(20).dividedBy(number).multipliedBy(number - i);
                stored.add(of(shard, i, age.negated()));
            }
        }
        journal.put(stored);
        for (int stop = 1; stop < stored.size(); stop++) {
            List<Event> taken;
            try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.pages(2))) {
                journal.clock().advance(Duration.ofMillis(375));
                taken = new ArrayList<>(query.take(stop));
            }
            Event last = taken.get(taken.size() - 1);
            SliceStart offset = new SliceStart(last.timestamp(), Map.of(last.persistenceId(), last.sequenceNumber()));
            try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.pages(2), offset)) {
                journal.clock().advance(Duration.ofMillis(375));
                taken.addAll(query.take());
            }
            assertThat(taken).as("stopped after %s", stop).containsAll(stored);
        }
    }
}
