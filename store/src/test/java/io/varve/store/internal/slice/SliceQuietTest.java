package io.varve.store.internal.slice;

import static io.varve.store.internal.slice.TestJournal.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.SliceRange;
import io.varve.store.internal.layout.Event;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.TableNames;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** While events are published, quiet shards are asked less and less often; what was not published is still found. */
@DynamoDBTest
class SliceQuietTest {
    private static final int SHARDS = 64;
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration QUIET = Duration.ofSeconds(30);

    private final FaultProxy proxy;
    private final TestJournal journal;
    private final TestSliceQuery query;

    SliceQuietTest(FaultProxy proxy, DynamoDbAsyncClient direct, TableNames names) {
        this.proxy = proxy;
        this.journal = new TestJournal(direct, proxy, names.journal(), SHARDS);
        this.query = TestSliceQuery.live(journal, TestSettings.defaults());
    }

    @BeforeEach
    void becomeQuiet() {
        query.query().publishingShown();
        query.takeDuring(MINUTE.multipliedBy(2));
        proxy.requests().clear();
    }

    @AfterEach
    void close() {
        query.close();
        journal.close();
    }

    private Event stored(int shard, long sequenceNumber) {
        Event event = event(journal.id("cart", shard, 0), sequenceNumber, journal.at(Duration.ZERO));
        journal.put(event);
        return event;
    }

    private int requestsDuring(Duration time) {
        proxy.requests().clear();
        query.takeDuring(time);
        return proxy.requests().size();
    }

    @Test
    void idleQuery_isTwoRequestsASecond_evenlySpread() {
        for (int i = 0; i < 3; i++) {
            assertThat(requestsDuring(QUIET)).isEqualTo(SHARDS);
        }
        for (int i = 0; i < 30; i++) {
            assertThat(requestsDuring(Duration.ofSeconds(1))).isBetween(1, 3);
        }
    }

    @Test
    void publishedEvent_comesAtOnceAndWithoutARequest() {
        Event event = stored(5, 1);
        query.query().published(List.of(event));
        assertThat(query.take()).containsExactly(event);
        assertThat(proxy.requests().size()).isZero();
        assertThat(query.takeDuring(MINUTE)).as("again").isEmpty();
        assertThat(requestsDuring(QUIET)).isBetween(SHARDS, SHARDS + 4); // with backtracking
    }

    @Test
    void unpublishedEvent_isFoundWithinTheQuietInterval_andThenShardsAreAskedAsUsual_forTenMinutes() {
        Event event = stored(5, 1);
        assertThat(query.takeDuring(QUIET.plusMillis(100))).containsExactly(event);
        assertThat(requestsDuring(QUIET)).isGreaterThanOrEqualTo(10 * SHARDS);
        Event another = stored(40, 1);
        assertThat(query.takeDuring(Duration.ofSeconds(4))).containsExactly(another);
        query.takeDuring(MINUTE.multipliedBy(13));
        assertThat(requestsDuring(QUIET)).isEqualTo(SHARDS);
    }

    @Test
    void missingMessage_makesItsSlicesBeAskedAtOnce() {
        Event event = stored(5, 1);
        proxy.requests().clear();
        query.query().missed(new SliceRange("cart", 5 * 16, 5 * 16 + 15));
        assertThat(query.takeDuring(Duration.ofMillis(110))).containsExactly(event);
        assertThat(proxy.requests().requests().get(0).partitionKeys()).containsExactly("journal-cart-5");
    }

    @Test
    void missingMessage_whoseEventTheIndexShowsLater_isAskedForAgain() {
        Event event = event(journal.id("cart", 5, 0), 1, journal.at(Duration.ZERO));
        query.query().missed(new SliceRange("cart", 5 * 16, 5 * 16 + 15));
        assertThat(query.takeDuring(Duration.ofMillis(300))).isEmpty();
        journal.put(event);
        assertThat(query.takeDuring(Duration.ofSeconds(2))).containsExactly(event);
    }

    @Test
    void messageWithoutNumber_makesShardsBeAskedAsUsual() {
        query.query().publishingDoubted();
        query.takeDuring(Duration.ofSeconds(3));
        assertThat(requestsDuring(QUIET)).isEqualTo(10 * SHARDS);
    }

    @Test
    void publishedEventThatIsRefused_isFoundOnTheNextUsualTurn_andIsNoDoubt() {
        Event ahead = event(journal.id("cart", 5, 0), 1, journal.at(Duration.ofSeconds(11)));
        journal.put(ahead);
        query.query().published(List.of(ahead));
        journal.clock().advance(Duration.ofSeconds(11));
        assertThat(query.takeDuring(Duration.ofSeconds(4))).containsExactly(ahead);
        query.takeDuring(MINUTE.multipliedBy(2));
        assertThat(requestsDuring(QUIET)).isBetween(SHARDS, SHARDS + 4);
    }

    @Test
    void clockThatIsSetBack_doesNotMakeQuietShardsWaitLonger() {
        journal.clock().advance(Duration.ofHours(-1));
        Event event = stored(5, 1);
        assertThat(query.takeDuring(QUIET.plusMillis(100))).containsExactly(event);
    }
}
