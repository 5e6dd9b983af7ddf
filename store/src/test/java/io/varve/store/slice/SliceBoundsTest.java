package io.varve.store.slice;

import static io.varve.store.slice.TestJournal.event;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.layout.Event;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Nothing grows without bound: requests at once, pages in memory, what is remembered. */
@DynamoDBTest
class SliceBoundsTest {
    private static final int SHARDS = 16;

    private final FaultProxy proxy;
    private final TestJournal journal;

    SliceBoundsTest(DynamoDbAsyncClient direct, FaultProxy proxy, TableNames names) {
        this.proxy = proxy;
        this.journal = new TestJournal(direct, proxy, names.journal(), SHARDS);
    }

    @AfterEach
    void close() {
        journal.close();
    }

    @Test
    void consumerThatTakesNothing_onePageOfEachShardIsRead_andOneMoreForEachThatWasTaken() {
        List<Event> backlog = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            String id = journal.id("cart", i % SHARDS, i / SHARDS % 5);
            backlog.add(event(id, 1 + i / SHARDS / 5, journal.at(Duration.ofHours(-1)) + i));
        }
        journal.put(backlog);
        try (TestSliceQuery query = TestSliceQuery.current(journal, TestSettings.pages(50))) {
            query.runUntilQuiet();
            assertThat(journal.requests()).isEqualTo(Collections.nCopies(SHARDS, "Query[slice-idx]"));
            journal.clock().advance(Duration.ofHours(1));
            query.runUntilQuiet();
            assertThat(proxy.requests().size()).isEqualTo(SHARDS);
            assertThat(query.take(50 * SHARDS)).isEqualTo(backlog.subList(0, 50 * SHARDS));
            query.runUntilQuiet();
            assertThat(proxy.requests().size()).isEqualTo(2 * SHARDS);
        }
    }

    @Test
    void requestsAtOnce_areAsManyAsAllowed_andNeverMore() {
        // Each shard has several entities whose events before the seen ones are missing in the index.
        List<Event> stored = new ArrayList<>();
        for (int shard = 0; shard < SHARDS; shard++) {
            for (int n = 0; n < 6; n++) {
                String id = journal.id("cart", shard, n);
                stored.add(event(id, 1, journal.at(Duration.ofSeconds(-5)) + n));
                stored.add(event(id, 2, journal.at(Duration.ofSeconds(-4)) + n));
            }
        }
        journal.put(stored);
        AtomicInteger underWay = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Gate gate = proxy.hold(
                RequestMatch.any(),
                Fault.runBefore(request -> most.accumulateAndGet(underWay.incrementAndGet(), Math::max))
                        .then(Fault.runAfter(request -> underWay.decrementAndGet()))
                        .then(Fault.hideFromIndex(item ->
                                "1".equals(requireNonNull(item.get("seq")).n()))));
        try (TestSliceQuery query =
                TestSliceQuery.current(journal, TestSettings.defaults().parallelism(3))) {
            gate.awaitArrivals(3);
            gate.releaseAll();
            assertThat(query.take()).hasSize(stored.size());
        }
        assertThat(journal.tableRequests()).hasSize(SHARDS * 7);
        assertThat(most.get()).isLessThanOrEqualTo(3);
    }
}
