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
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** What a query over all slices costs when nothing happens, with the default 64 shards. */
@DynamoDBTest
class SliceIdleCostTest {
    private static final int SHARDS = 64;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final FaultProxy proxy;
    private final DynamoDbAsyncClient direct;
    private final TableNames names;

    SliceIdleCostTest(FaultProxy proxy, DynamoDbAsyncClient direct, TableNames names) {
        this.proxy = proxy;
        this.direct = direct;
        this.names = names;
    }

    @Test
    void idleQuery_is22RequestsASecond_evenlySpread() {
        try (TestJournal journal = new TestJournal(direct, proxy, names.journal(), SHARDS)) {
            List<Event> old = new ArrayList<>();
            for (int shard = 0; shard < SHARDS; shard++) {
                old.add(event(journal.id("cart", shard, 0), 1, journal.at(Duration.ofDays(-1))));
            }
            journal.put(old);
            try (TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults())) {
                assertThat(query.takeDuring(Duration.ofSeconds(9))).hasSameElementsAs(old);
                List<Integer> perSecond = new ArrayList<>();
                for (int second = 0; second < 90; second++) {
                    proxy.requests().clear();
                    query.takeDuring(SECOND);
                    perSecond.add(proxy.requests().size());
                }
                assertThat(perSecond.stream().mapToInt(n -> n).sum()).isEqualTo(90 * SHARDS / 3);
                assertThat(perSecond).as("requests in each second").allMatch(n -> n >= 11 && n <= 33);
            }
        }
    }

    @Test
    void firstRequests_areSpreadOverAnEighthOfTheRefreshInterval() {
        try (TestJournal journal = new TestJournal(direct, proxy, names.journal(), SHARDS);
                TestSliceQuery query = TestSliceQuery.live(journal, TestSettings.defaults())) {
            query.take();
            assertThat(shardsAsked()).isEqualTo(1);
            query.takeDuring(Duration.ofMillis(188));
            assertThat(shardsAsked()).isEqualTo(SHARDS / 2 + 1);
            query.takeDuring(Duration.ofMillis(187));
            assertThat(shardsAsked()).isEqualTo(SHARDS);
        }
    }

    private long shardsAsked() {
        return proxy.requests().requests().stream()
                .flatMap(request -> request.partitionKeys().stream())
                .distinct()
                .count();
    }
}
