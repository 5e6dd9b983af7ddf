package io.varve.store.internal.journal;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.FaultRule;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** A recovery whose requests are answered before, while and after a delete does its work. */
@ExtendWith(JournalFixture.Extension.class)
class RecoveryBesideDeleteTest {
    private static final String ID = "cart|1";

    private final JournalFixture journal;
    private final FaultProxy proxy;

    RecoveryBesideDeleteTest(JournalFixture journal) {
        this.journal = journal;
        this.proxy = journal.proxy();
    }

    private TestStore elsewhere() {
        return journal.directNode().build();
    }

    /** A node whose requests pass the proxy, and which knows the table. */
    private TestStore node() {
        return journal.warm(journal.node());
    }

    private static CompletableFuture<Long> highest(TestStore store, long hint) {
        return store.store().highestSequenceNumber(ID, hint).toCompletableFuture();
    }

    private void awaitAnswer(String operation) {
        Awaitility.await()
                .until(() -> proxy.requests().requests().stream()
                        .anyMatch(r -> r.operation().equals(operation) && r.succeeded()));
    }

    private void nextEventIsReplayed(TestStore store, long next) {
        store.append(ID, next, next);
        assertThat(elsewhere().recoveredNumbers(ID)).containsExactly(next);
    }

    @ParameterizedTest
    @CsvSource({"7,0", "7,5", "7,7", "99,0", "250,0", "250,120", "250,250", "250,199", "1250,0"})
    void eventsDeletedBeforeAQueryIsAnswered_theHighestStays(long last, long hint) {
        elsewhere().fill(ID, 1, last);
        TestStore recovering = node();
        Gate tail = proxy.hold(RequestMatch.operation("Query").key(TestStore.KEYS.eventPartition(ID, last / 100)));
        CompletableFuture<Long> highest = highest(recovering, hint);
        tail.awaitArrival();
        elsewhere().delete(ID, last);
        tail.releaseAll();
        assertThat(highest.join()).isEqualTo(last);
        nextEventIsReplayed(recovering, last + 1);
    }

    /** The owner goes on into the next group, and deletes the one that is looked at, of which the last event is no longer the entity's. */
    @ParameterizedTest
    @ValueSource(longs = {0, 20})
    void deleteOfAGroupThatIsNoLongerTheLast_isNotTakenForTheTail(long hint) {
        try (FaultProxy ownersProxy = FaultProxy.start(DynamoDBLocal.shared().endpoint());
                DynamoDbAsyncClient ownersClient = ownersProxy.client()) {
            TestStore owner = TestStore.on(ownersClient, journal.table()).build();
            owner.appendSingles(ID, 1, 98);
            TestStore recovering = node();
            Gate tail = proxy.hold(RequestMatch.operation("Query")
                    .key(TestStore.KEYS.eventPartition(ID, 0))
                    .times(1));
            CompletableFuture<Long> highest = highest(recovering, hint);
            tail.awaitArrival();
            owner.appendSingles(ID, 99, 101);
            FaultRule halfLeft = ownersProxy.on(
                    RequestMatch.operation("BatchWriteItem"),
                    Fault.unprocessedIf(key ->
                            Integer.parseInt(requireNonNull(key.get("num")).n()) <= 50));
            CompletableFuture<?> delete = owner.store().delete(ID, 100).toCompletableFuture();
            Awaitility.await().until(() -> halfLeft.hits() >= 10);
            tail.releaseAll();
            assertThat(highest.join()).isEqualTo(101);
            ownersProxy.clear();
            delete.join();
            recovering.append(ID, 102, 102);
            assertThat(elsewhere().recoveredNumbers(ID)).containsExactly(101L, 102L);
        }
    }

    /** The last place of a group is taken, and what is stored after it is gone before it is looked for. */
    @ParameterizedTest
    @ValueSource(longs = {0, 20, 99})
    void nextGroupThatIsWrittenAndDeletedMeanwhile_counts(long hint) {
        elsewhere().fill(ID, 1, 99);
        TestStore recovering = node();
        Gate next = proxy.hold(RequestMatch.operation("Query").key(TestStore.KEYS.eventPartition(ID, 1)));
        CompletableFuture<Long> highest = highest(recovering, hint);
        next.awaitArrival();
        TestStore owner = elsewhere();
        assertThat(owner.highest(ID)).isEqualTo(99);
        owner.append(ID, 100, 101);
        owner.delete(ID, 101);
        next.releaseAll();
        assertThat(highest.join()).isEqualTo(101);
        nextEventIsReplayed(recovering, 102);
    }

    @Test
    void queryAnsweredBeforeTheDelete_andMarksAfterIt_theHighestStays() {
        elsewhere().fill(ID, 1, 250);
        TestStore recovering = node();
        Gate marks = proxy.hold(RequestMatch.operation("BatchGetItem").times(1));
        CompletableFuture<Long> highest = highest(recovering, 0);
        marks.awaitArrival();
        awaitAnswer("Query");
        elsewhere().delete(ID, 250);
        marks.releaseAll();
        assertThat(highest.join()).isEqualTo(250);
        nextEventIsReplayed(recovering, 251);
    }

    @Test
    void whatIsWrittenAfterTheDelete_isFoundToo() {
        elsewhere().fill(ID, 1, 250);
        TestStore recovering = node();
        Gate tail = proxy.hold(RequestMatch.operation("Query").key(TestStore.KEYS.eventPartition(ID, 2)));
        CompletableFuture<Long> highest = highest(recovering, 0);
        tail.awaitArrival();
        TestStore other = elsewhere();
        other.delete(ID, 250);
        for (long n = 251; n <= 430; n++) {
            other.append(ID, n, n);
        }
        tail.releaseAll();
        assertThat(highest.join()).isEqualTo(430);
        assertThat(recovering.recoveredNumbers(ID))
                .isEqualTo(LongStream.rangeClosed(251, 430).boxed().toList());
    }

    /** The events of an earlier deletion that stopped half-way are below the mark: they say nothing about the end. */
    @Test
    void leftoversOfAnEarlierDelete_areNotTakenForTheTail() {
        TestStore before = elsewhere();
        before.fill(ID, 1, 60);
        StoredItems items = journal.items(ID);
        var kept = items.take(1, 40);
        items.put(kept);
        before.delete(ID, 50);
        items.put(kept);
        TestStore recovering = node();
        Gate tail = proxy.hold(RequestMatch.operation("Query"));
        CompletableFuture<Long> highest = highest(recovering, 0);
        tail.awaitArrival();
        elsewhere().delete(ID, 60);
        items.put(kept);
        tail.releaseAll();
        assertThat(highest.join()).isEqualTo(60);
    }

    @ParameterizedTest
    @ValueSource(longs = {7, 250})
    void lastSequenceNumberOfAReader_staysToo(long last) {
        elsewhere().fill(ID, 1, last);
        node();
        EventReader reader = journal.node().reader();
        Gate tail = proxy.hold(RequestMatch.operation("Query").key(TestStore.KEYS.eventPartition(ID, last / 100)));
        CompletableFuture<Long> number = reader.lastSequenceNumber(ID).toCompletableFuture();
        tail.awaitArrival();
        elsewhere().delete(ID, last);
        tail.releaseAll();
        assertThat(number.join()).isEqualTo(last);
    }

    // One node

    @Test
    void recoveryOfTheSameNode_waitsUntilItsDeleteHasRaisedTheLowMark() {
        TestStore store = node();
        store.fill(ID, 1, 7);
        store.recover(ID);
        Gate raising = proxy.hold(
                RequestMatch.operation("PutItem").key("journal-SL-cart|1-0").times(1));
        CompletableFuture<?> delete = store.store().delete(ID, 7).toCompletableFuture();
        raising.awaitArrival();
        proxy.requests().clear();
        CompletableFuture<Long> highest = highest(store, 0);
        // What was asked for later has been answered: had the recovery not waited, its requests would be here, too.
        store.highest("another");
        assertThat(proxy.requests().requests())
                .flatExtracting(r -> r.partitionKeys())
                .isNotEmpty()
                .noneMatch(key -> key.contains(ID));
        raising.releaseAll();
        assertThat(highest.join()).isEqualTo(7);
        delete.join();
        nextEventIsReplayed(store, 8);
    }

    @Test
    void recoveryOfTheSameNode_doesNotWaitForEveryEventOfALongDelete() {
        TestStore store = node();
        store.fill(ID, 1, 250);
        store.recover(ID);
        Gate deletions = proxy.hold(RequestMatch.operation("BatchWriteItem"));
        CompletableFuture<?> delete = store.store().delete(ID, 250).toCompletableFuture();
        deletions.awaitArrival();
        assertThat(highest(store, 0).join()).isEqualTo(250);
        assertThat(store.recover(ID)).isEmpty();
        deletions.releaseAll();
        delete.join();
    }

    @Test
    void deleteThatFails_doesNotBlockTheRecovery() {
        TestStore store = node();
        store.fill(ID, 1, 7);
        proxy.on(
                RequestMatch.operation("PutItem").key("journal-SL-cart|1-0"),
                Fault.error(400, "AccessDeniedException", "refused by the test"));
        CompletableFuture<?> delete = store.store().delete(ID, 7).toCompletableFuture();
        assertThat(delete.handle((done, thrown) -> thrown).join()).isNotNull();
        assertThat(store.recoveredNumbers(ID)).hasSize(7);
    }

    @Test
    void recoveryThatWasAskedForBeforeTheDelete_isNotBelowTheHeadThatTheNodeKnows() {
        TestStore store = node();
        store.fill(ID, 1, 250);
        Gate tail = proxy.hold(RequestMatch.operation("Query").key(TestStore.KEYS.eventPartition(ID, 2)));
        CompletableFuture<Long> highest = highest(store, 0);
        tail.awaitArrival();
        store.delete(ID, 250);
        tail.releaseAll();
        assertThat(highest.join()).isEqualTo(250);
        nextEventIsReplayed(store, 251);
    }
}
