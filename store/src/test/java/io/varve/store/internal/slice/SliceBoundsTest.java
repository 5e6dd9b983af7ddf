package io.varve.store.internal.slice;

import static io.varve.store.internal.slice.TestJournal.event;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.varve.store.SliceRange;
import io.varve.store.StoreObserver;
import io.varve.store.internal.layout.Event;
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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
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
        for (int i = 0; i < 8_000; i++) {
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
    void moreActiveEntitiesThanAreRemembered_areCounted_andWarnedOfOnceInTenMinutes() {
        Logger logger = (Logger) LoggerFactory.getLogger(SliceQuery.class);
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        logger.addAppender(logged);
        logger.setLevel(Level.WARN);
        logger.setAdditive(false);
        List<StoreObserver.Forgotten> forgotten = new CopyOnWriteArrayList<>();
        try (TestSliceQuery query = new TestSliceQuery(
                journal,
                journal.index(observing(forgotten)),
                TestSettings.defaults().remembered(2 * SHARDS).get(),
                new SliceQuery.Plan((type, slice) -> SliceStart.BEGINNING, false, true),
                SliceRange.all("cart"))) {
            for (int round = 0; round < 3; round++) {
                List<Event> events = new ArrayList<>();
                for (int n = 0; n < 5; n++) {
                    events.add(event(journal.id("cart", 0, 5 * round + n), 1, journal.at(Duration.ofSeconds(1)) + n));
                }
                journal.put(events);
                assertThat(query.takeDuring(Duration.ofSeconds(4))).isEqualTo(events);
            }
            assertThat(forgotten.stream()
                            .mapToInt(StoreObserver.Forgotten::entities)
                            .sum())
                    .isEqualTo(13);
            assertThat(forgotten)
                    .allMatch(some ->
                            some.entityType().equals("cart") && some.table().equals(journal.table()));
            assertThat(logged.list)
                    .singleElement()
                    .asString()
                    .contains("A query of entity type 'cart' forgets entities", "remembered-entities (32,");
        } finally {
            logger.detachAppender(logged);
            logger.setLevel(null);
            logger.setAdditive(true);
        }
    }

    private static StoreObserver observing(List<StoreObserver.Forgotten> forgotten) {
        return new StoreObserver() {
            @Override
            public void requested(Request request) {}

            @Override
            public void forgotten(Forgotten some) {
                forgotten.add(some);
            }
        };
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
