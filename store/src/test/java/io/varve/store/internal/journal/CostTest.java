package io.varve.store.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.internal.append.AppendRequest;
import io.varve.testkit.Capacity;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.internal.capacity.ItemBytes;
import io.varve.testkit.internal.comparison.CapacityComparison;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** What each operation costs: the exact requests, and capacity by AWS's rules, for payloads of 200 bytes. */
@ExtendWith(JournalFixture.Extension.class)
class CostTest {
    private static final String PAYLOAD = "x".repeat(200);

    private final JournalFixture journal;
    private final FaultProxy proxy;
    private final CapacityComparison capacities;

    CostTest(JournalFixture journal) {
        this.journal = journal;
        this.proxy = journal.proxy();
        this.capacities = CapacityComparison.of(proxy);
    }

    @AfterEach
    void engineCountsTheSame() {
        assertThat(capacities.result().different()).isEmpty();
    }

    /** A node that has already read the journal's META item. */
    private TestStore warm(TestStore store) {
        store.highest("warm-up");
        proxy.requests().clear();
        return store;
    }

    private TestStore node() {
        return warm(journal.node().build());
    }

    private static AppendRequest write(TestStore store, String persistenceId, long first, long last) {
        return new AppendRequest(
                persistenceId,
                LongStream.rangeClosed(first, last)
                        .mapToObj(n -> store.event(n, PAYLOAD))
                        .toList());
    }

    private static void append(TestStore store, String persistenceId, long first, long last) {
        TestStore.await(store.appendAsync(persistenceId, write(store, persistenceId, first, last)));
    }

    /** An entity with that many events, known to the node as after a recovery. */
    private void prepare(TestStore store, String persistenceId, long events) {
        for (long first = 1; first <= events; first += 90) {
            append(store, persistenceId, first, Math.min(events, first + 89));
        }
        store.recover(persistenceId);
        proxy.requests().clear();
    }

    private List<String> requests() {
        return proxy.requests().operations();
    }

    private Capacity cost() {
        return proxy.requests().capacity();
    }

    @Test
    void persistOne_withoutIndex_isOnePutOfOneUnit() {
        TestStore store = node();
        prepare(store, "cart|1", 5);
        append(store, "cart|1", 6, 6);
        assertThat(requests()).containsExactly("PutItem");
        assertThat(cost()).isEqualTo(new Capacity(1, 0, 0));
    }

    @Test
    void persistOne_withIndex_isOnePutOfOneUnitAndOneForTheIndex() {
        TestStore store = warm(journal.node().indexed().build());
        prepare(store, "cart|1", 5);
        append(store, "cart|1", 6, 6);
        assertThat(requests()).containsExactly("PutItem");
        assertThat(cost()).isEqualTo(new Capacity(1, 1, 0));
    }

    @Test
    void persistOneAfterAPause_readsTheLowMarkFirst() {
        AtomicLong time = new AtomicLong();
        TestStore store = warm(journal.node()
                .checkWriterAfter(Duration.ofSeconds(5))
                .surroundings(new TestTime(time))
                .build());
        prepare(store, "cart|1", 5);
        time.addAndGet(Duration.ofSeconds(6).toNanos());
        append(store, "cart|1", 6, 6);
        assertThat(requests()).containsExactly("BatchGetItem(1)", "PutItem");
        assertThat(cost()).isEqualTo(new Capacity(1, 0, 1));
    }

    @Test
    void persistAtTheStartOfAGroup_isOneTransactionOfFourUnits() {
        TestStore store = node();
        prepare(store, "cart|1", 99);
        append(store, "cart|1", 100, 100);
        assertThat(requests()).containsExactly("TransactWriteItems(2)");
        assertThat(cost()).isEqualTo(new Capacity(4, 0, 0));
    }

    @Test
    void persistAfterARejection_isOneTransactionOfTwoUnitsForTheEventAndEachPlaceholder() {
        TestStore store = node();
        prepare(store, "cart|1", 5);
        append(store, "cart|1", 9, 9);
        assertThat(requests()).containsExactly("TransactWriteItems(4)");
        assertThat(cost()).isEqualTo(new Capacity(8, 0, 0));
        proxy.requests().clear();
        append(store, "cart|1", 10, 10);
        assertThat(requests()).containsExactly("PutItem");
    }

    @Test
    void threeWritesThatWaitTogether_areOnePutOfOneUnitEach() {
        TestStore store = node();
        prepare(store, "cart|1", 5);
        burst(store, 6, 8);
        assertThat(requests()).containsExactly("PutItem", "PutItem", "PutItem");
        assertThat(cost()).isEqualTo(new Capacity(3, 0, 0));
    }

    @Test
    void fourWritesThatWaitTogether_areOneTransactionOfTwoUnitsEach() {
        TestStore store = node();
        prepare(store, "cart|1", 5);
        burst(store, 6, 9);
        assertThat(requests()).containsExactly("TransactWriteItems(4)");
        assertThat(cost()).isEqualTo(new Capacity(8, 0, 0));
    }

    /** Single events that wait together, as after {@code persistAsync}. */
    private static void burst(TestStore store, long first, long last) {
        TestStore.await(store.appendAsync(
                "cart|1",
                LongStream.rangeClosed(first, last)
                        .mapToObj(n -> write(store, "cart|1", n, n))
                        .toArray(AppendRequest[]::new)));
    }

    @Test
    void persistAllOfTen_transactional_isOneTransactionOfTwentyUnits() {
        TestStore store = node();
        prepare(store, "cart|1", 5);
        append(store, "cart|1", 6, 15);
        assertThat(requests()).containsExactly("TransactWriteItems(10)");
        assertThat(cost()).isEqualTo(new Capacity(20, 0, 0));
    }

    @Test
    void persistAllOfTen_withIndex_isTwentyUnitsAndTenForTheIndex() {
        TestStore store = warm(journal.node().indexed().build());
        prepare(store, "cart|1", 5);
        append(store, "cart|1", 6, 15);
        assertThat(requests()).containsExactly("TransactWriteItems(10)");
        assertThat(cost()).isEqualTo(new Capacity(20, 10, 0));
    }

    @Test
    void persistAllOfTen_marked_isOneBatchOfTenUnits() {
        TestStore store = warm(journal.node().marked().build());
        prepare(store, "cart|1", 5);
        append(store, "cart|1", 6, 15);
        assertThat(requests()).containsExactly("BatchWriteItem(10)");
        assertThat(cost()).isEqualTo(new Capacity(10, 0, 0));
    }

    @Test
    void persistAllOf150_isTwoTransactionsOfTwoUnitsForEachEventMarkAndCheck() {
        TestStore store = node();
        prepare(store, "cart|1", 5);
        append(store, "cart|1", 6, 155);
        assertThat(requests()).containsExactly("TransactWriteItems(99)", "TransactWriteItems(53)");
        int marks = 1;
        int checks = 1;
        assertThat(cost()).isEqualTo(new Capacity(2 * (150 + marks + checks), 0, 0));
    }

    @Test
    void recoverBrandNewEntity_isTwoRequestsOfThreeUnits() {
        TestStore store = node();
        assertThat(store.recover("cart|new")).isEmpty();
        assertThat(requests()).containsExactly("Query", "BatchGetItem(2)");
        assertThat(cost()).isEqualTo(new Capacity(0, 0, 3));
    }

    @Test
    void recoverWithinOneGroup_isTwoRequests_theEventsAndTwoUnits() {
        TestStore store = node();
        prepare(store, "cart|1", 98);
        TestStore other = node();
        assertThat(other.recover("cart|1")).hasSize(98);
        assertThat(requests()).as("marks judge what was read before").containsExactly("Query", "BatchGetItem(2)");
        double spent = cost().readUnits();
        assertThat(spent).isEqualTo(readUnits(0) + 2);
    }

    @Test
    void recoverThousandEvents_isOneQueryForEachGroupAndThreeRequests() {
        TestStore store = node();
        prepare(store, "cart|1", 1000);
        TestStore other = node();
        assertThat(other.recover("cart|1")).hasSize(1000);
        assertThat(requests()).hasSizeLessThanOrEqualTo(14);
        assertThat(Collections.frequency(requests(), "BatchGetItem(2)")).isEqualTo(1);
        assertThat(Collections.frequency(requests(), "BatchGetItem(1)"))
                .as("the low mark, because the tail was read after the marks")
                .isEqualTo(1);
        int groups = 11;
        int reverse = 1;
        assertThat(Collections.frequency(requests(), "Query")).isEqualTo(groups + reverse);
        double spent = cost().readUnits();
        double events =
                LongStream.rangeClosed(0, 10).mapToDouble(this::readUnits).sum();
        assertThat(spent).isEqualTo(events + 4);
    }

    @Test
    void recoverThousandEvents_answersTheHighestNumberAfterFourRoundTrips() {
        TestStore store = node();
        prepare(store, "cart|1", 1000);
        TestStore other = node();
        assertThat(other.highest("cart|1")).isEqualTo(1000);
        // The first group, the marks, the tail, and the low mark once more; all others are the replay's.
        List<String> keys = proxy.requests().requests().stream()
                .filter(r -> r.operation().equals("Query"))
                .flatMap(r -> r.partitionKeys().stream())
                .toList();
        assertThat(keys).startsWith("journal-P-cart|1-0").contains("journal-P-cart|1-10");
        assertThat(keys.stream().distinct()).hasSizeGreaterThanOrEqualTo(keys.size() - 1);
    }

    @Test
    void recoverWithTheSnapshotAtTheHead_isTwoRequestsOfThreeUnits() {
        TestStore store = node();
        prepare(store, "cart|1", 250);
        TestStore other = node();
        assertThat(other.recover("cart|1", 251, Long.MAX_VALUE, Long.MAX_VALUE)).isEmpty();
        assertThat(requests()).containsExactly("Query", "BatchGetItem(2)");
        assertThat(cost()).isEqualTo(new Capacity(0, 0, 3));
    }

    @Test
    void recoverAnEntityWhoseLastEventIsTheLastOfItsGroup_looksAtTheNextGroupAndAtTheLowMark() {
        TestStore store = node();
        prepare(store, "cart|1", 99);
        TestStore other = node();
        assertThat(other.highest("cart|1")).isEqualTo(99);
        assertThat(requests()).containsExactlyInAnyOrder("Query", "BatchGetItem(2)", "Query", "BatchGetItem(1)");
        assertThat(cost().readUnits()).isEqualTo(readUnits(0) + 2 + 1 + 1);
    }

    @Test
    void deleteThousandEvents_isOneBatchForEach25AndFourRequests() {
        TestStore store = node();
        prepare(store, "cart|1", 1000);
        store.delete("cart|1", 1000);
        assertThat(Collections.frequency(requests(), "BatchWriteItem(25)")).isEqualTo(39);
        assertThat(Collections.frequency(requests(), "BatchWriteItem(24)")).isEqualTo(1);
        assertThat(requests()).as("the last event, after all others").endsWith("BatchWriteItem(1)");
        assertThat(Collections.frequency(requests(), "PutItem")).isEqualTo(2);
        assertThat(requests()).hasSize(44);
        assertThat(cost().writeUnits()).isEqualTo(1000 + 2);
        assertThat(cost().readUnits()).isEqualTo(2);
    }

    @Test
    void recoverAnEntityWhoseEventsAreAllDeleted_doesNotSearchWhereNothingCanBe() {
        TestStore store = node();
        prepare(store, "cart|1", 800);
        store.delete("cart|1", 800);
        TestStore other = node();
        assertThat(other.highest("cart|1")).isEqualTo(800);
        assertThat(requests().stream().filter(r -> r.equals("Query"))).hasSizeLessThanOrEqualTo(3);
    }

    @Test
    void nextDeleteOfTheSameNode_readsNothingButTheMarksAndTheEventBehindIt() {
        TestStore store = node();
        prepare(store, "cart|1", 200);
        store.delete("cart|1", 90);
        proxy.requests().clear();
        store.delete("cart|1", 180);
        assertThat(requests())
                .containsExactlyInAnyOrder(
                        "BatchGetItem(2)",
                        "GetItem",
                        "PutItem",
                        "BatchWriteItem(25)",
                        "BatchWriteItem(25)",
                        "BatchWriteItem(25)",
                        "BatchWriteItem(15)");
        assertThat(cost().readUnits()).isEqualTo(3);
    }

    @Test
    void deleteThatEndsInsideAnAtomicWrite_readsThatWrite() {
        TestStore store = node();
        prepare(store, "cart|1", 200);
        store.delete("cart|1", 150);
        assertThat(requests().subList(0, 5))
                .containsExactlyInAnyOrder("BatchGetItem(2)", "GetItem", "Query", "Query", "PutItem");
    }

    @Test
    void nextDeleteOfAnotherNode_looksOnceForLeftoversOfTheLastOne() {
        TestStore store = node();
        prepare(store, "cart|1", 200);
        store.delete("cart|1", 90);
        TestStore other = node();
        other.highest("cart|1", 150);
        proxy.requests().clear();
        other.delete("cart|1", 180);
        assertThat(requests().subList(0, 2)).containsExactlyInAnyOrder("BatchGetItem(2)", "GetItem");
        assertThat(requests().subList(2, 4)).containsExactly("PutItem", "Query");
        assertThat(requests().subList(4, requests().size()))
                .containsExactlyInAnyOrder(
                        "BatchWriteItem(25)", "BatchWriteItem(25)", "BatchWriteItem(25)", "BatchWriteItem(15)");
    }

    /** What a query of a whole group costs: its items' sizes by 4 KB. */
    private double readUnits(long group) {
        double bytes = journal
                .client()
                .query(r -> r.tableName(journal.table())
                        .consistentRead(true)
                        .keyConditionExpression("par = :par")
                        .expressionAttributeValues(
                                Map.of(":par", AttributeValue.fromS(TestStore.KEYS.eventPartition("cart|1", group)))))
                .join()
                .items()
                .stream()
                .mapToInt(ItemBytes::of)
                .sum();
        return Math.ceil(bytes / 4096);
    }
}
