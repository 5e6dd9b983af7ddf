package io.varve.store.internal.slice;

import static io.varve.store.internal.slice.TestJournal.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.internal.layout.Event;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.TableNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** What a query costs while its consumer is slower than what it reads: 64 shards, one of which after the other has been taken. */
@DynamoDBTest
class SliceBehindCostTest {
    private static final int SHARDS = 64;
    private static final int OF_EACH = 10;
    private static final int PAGE = 100;

    private final FaultProxy proxy;
    private final TestJournal journal;
    private final List<Event> backlog = new ArrayList<>();

    SliceBehindCostTest(FaultProxy proxy, DynamoDbAsyncClient direct, TableNames names) {
        this.proxy = proxy;
        this.journal = new TestJournal(direct, proxy, names.journal(), SHARDS);
    }

    @BeforeEach
    void storeBacklog() {
        for (int shard = 0; shard < SHARDS; shard++) {
            String id = journal.id("cart", shard, 0);
            for (int n = 1; n <= OF_EACH; n++) {
                backlog.add(event(id, n, journal.at(Duration.ofDays(-1)) + shard * 1_000L + n));
            }
        }
        journal.put(backlog);
    }

    @AfterEach
    void close() {
        journal.close();
    }

    @Test
    void shardsThatWereTaken_areNotAskedAgain_untilNoMoreThanAPageWaits() {
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.pages(PAGE))) {
            query.runUntilQuiet();
            journal.clock().advance(Duration.ofMillis(375));
            query.runUntilQuiet();
            assertThat(proxy.requests().size()).isEqualTo(SHARDS);
            List<Event> taken = takeSlowly(query, backlog.size() - PAGE - 1, Duration.ofMillis(20));
            assertThat(proxy.requests().size())
                    .as("while there was enough to do")
                    .isEqualTo(SHARDS);
            taken.addAll(takeSlowly(query, PAGE + 1, Duration.ofMillis(20)));
            assertThat(taken).isEqualTo(backlog);
            assertThat(proxy.requests().size()).as("at the end").isLessThan(4 * SHARDS);
        }
    }

    @Test
    void newEventOfAShardThatWasTaken_isFoundWithinHalfAMinute_howeverMuchWaits() {
        try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.pages(PAGE))) {
            query.runUntilQuiet();
            journal.clock().advance(Duration.ofMillis(375));
            query.runUntilQuiet();
            takeSlowly(query, OF_EACH, Duration.ZERO);
            proxy.requests().clear();
            Event late =
                    event(journal.id("cart", 0, 1), 1, backlog.get(OF_EACH - 1).timestamp() + 1);
            journal.put(late);
            List<Event> taken = takeSlowly(query, 32, Duration.ofSeconds(1));
            assertThat(taken).contains(late);
            assertThat(proxy.requests().size())
                    .as("one for each of the shards that were taken")
                    .isEqualTo(4);
        }
    }

    /** Takes events one by one, with a pause after each. */
    private List<Event> takeSlowly(TestSliceQuery query, int number, Duration pause) {
        List<Event> taken = new ArrayList<>();
        while (taken.size() < number) {
            List<Event> next = query.take(1);
            assertThat(next).isNotEmpty();
            taken.addAll(next);
            query.runUntilQuiet();
            journal.clock().advance(pause);
        }
        return taken;
    }
}
