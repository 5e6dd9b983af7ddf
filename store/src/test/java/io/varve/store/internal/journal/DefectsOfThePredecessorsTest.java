package io.varve.store.internal.journal;

import static io.varve.store.internal.journal.StoredItems.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.StoreException;
import io.varve.store.ThrottledException;
import io.varve.store.WriterConflictException;
import io.varve.store.internal.append.AppendRequest;
import io.varve.store.internal.append.AppendResult;
import io.varve.store.internal.layout.Event;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RecordedRequest;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.ThrottleCode;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** What the predecessors' journals get wrong, one test each, by the numbers of docs/design/journal.md. */
@ExtendWith(JournalFixture.Extension.class)
class DefectsOfThePredecessorsTest {
    private static final String ID = "cart|1";
    private static final RequestMatch WRITES =
            RequestMatch.operation("PutItem", "TransactWriteItems", "BatchWriteItem");

    private final JournalFixture journal;
    private final FaultProxy proxy;

    DefectsOfThePredecessorsTest(JournalFixture journal) {
        this.journal = journal;
        this.proxy = journal.proxy();
    }

    private TestStore node() {
        return journal.node().build();
    }

    private TestStore reader() {
        return journal.directNode().build();
    }

    @Test
    void b1_eventAtAGroupsStart_isStoredOrItsWriteFails() {
        TestStore store =
                journal.node().operationTimeout(Duration.ofMillis(1500)).build();
        store.append(ID, 1, 95);
        store.appendSingles(ID, 96, 99);
        proxy.on(WRITES, Fault.cancelTransaction("ThrottlingError", "ThrottlingError"));
        assertThatThrownBy(() -> store.append(ID, 100, 100)).isInstanceOf(ThrottledException.class);
        assertThat(reader().highest(ID)).isEqualTo(99);
        TestStore next =
                reader(); // past the fault, which stays for an attempt that was cut off and is still on its way
        next.highest(ID);
        assertThat(next.append(ID, 100, 100)).isInstanceOf(AppendResult.Stored.class);
        next.append(ID, 101, 101);
        assertThat(reader().recoveredNumbers(ID)).isEqualTo(numbers(1, 101));
    }

    @Test
    void b1_marked_everyUnprocessedItemIsRetriedBeforeTheWriteIsAcknowledged() {
        TestStore store = journal.node().marked().build();
        store.append(ID, 1, 90);
        proxy.on(RequestMatch.operation("BatchWriteItem").times(2), Fault.unprocessed());
        assertThat(store.append(ID, 91, 110)).isInstanceOf(AppendResult.Stored.class);
        assertThat(reader().recoveredNumbers(ID)).isEqualTo(numbers(1, 110));
    }

    @Test
    void b2_deleteInsideAnAtomicWrite_leavesTheRestOfItReplayable() {
        TestStore store = node();
        store.append(ID, 1, 10);
        store.delete(ID, 4);
        assertThat(reader().recoveredNumbers(ID)).isEqualTo(numbers(5, 10));
    }

    @Test
    void b3_snapshotInsideAnAtomicWrite_leavesTheRestOfItReplayable() {
        TestStore store = node();
        store.append(ID, 1, 10);
        assertThat(reader().recover(ID, 5, Long.MAX_VALUE, Long.MAX_VALUE).stream()
                        .map(Event::sequenceNumber))
                .isEqualTo(numbers(5, 10));
    }

    @Test
    void b4_deleteThatStopsHalfWay_reportsItAndTheHighestStays() {
        TestStore store =
                journal.node().operationTimeout(Duration.ofMillis(1500)).build();
        store.append(ID, 1, 60);
        store.append(ID, 61, 120);
        proxy.on(RequestMatch.operation("BatchWriteItem").skip(2), Fault.unprocessed());
        assertThatThrownBy(() -> store.delete(ID, 120)).isInstanceOf(ThrottledException.class);
        proxy.clear();
        TestStore next = node();
        assertThat(next.highest(ID)).isEqualTo(120);
        next.append(ID, 121, 121);
        assertThat(reader().recoveredNumbers(ID)).containsExactly(121L);
        next.delete(ID, 120);
        assertThat(journal.direct().scan(r -> r.tableName(journal.table())).join().items().stream()
                        .filter(item -> item.containsKey("event")))
                .hasSize(1);
    }

    @Test
    void b5_writeThatWasReportedAsFailed_neverOverwritesLater() {
        TestStore slow =
                journal.node().operationTimeout(Duration.ofMillis(1500)).build();
        slow.highest(ID);
        var gate = proxy.hold(RequestMatch.operation("PutItem").times(1));
        assertThatThrownBy(() -> slow.append(ID, 1, 1)).isInstanceOf(StoreException.class);
        gate.awaitArrival();
        TestStore next = reader();
        next.append(ID, 1, 1);
        gate.releaseAll();
        next.append(ID, 2, 2);
        assertThat(reader().recover(ID).stream().map(Event::writer)).containsOnly(next.writer());
    }

    @Test
    void b6_rejectedEventAtAMultipleOf100_hidesNothing() {
        TestStore store = node();
        store.append(ID, 1, 95);
        store.append(ID, 96, 98);
        TestStore.await(store.appendAsync(ID, new AppendRequest(ID, List.of(store.event(99, "x".repeat(500_000))))));
        TestStore.await(store.appendAsync(ID, new AppendRequest(ID, List.of(store.event(100, "x".repeat(500_000))))));
        store.appendSingles(ID, 101, 103);
        TestStore next = reader();
        assertThat(next.highest(ID)).isEqualTo(103);
        next.append(ID, 104, 104);
        assertThat(reader().recoveredNumbers(ID))
                .isEqualTo(LongStream.rangeClosed(1, 104)
                        .filter(n -> n != 99 && n != 100)
                        .boxed()
                        .toList());
    }

    @Test
    void b7_atomicWriteAcrossABorder_isOneRequest() {
        TestStore store = node();
        store.append(ID, 1, 95);
        proxy.requests().clear();
        store.append(ID, 96, 130);
        assertThat(proxy.requests().operations()).containsExactly("TransactWriteItems(36)");
    }

    @Test
    void b8_twoLiveWriters_theSecondFails() {
        TestStore one = node();
        TestStore two = node();
        one.highest(ID);
        two.highest(ID);
        one.append(ID, 1, 3);
        assertThatThrownBy(() -> two.append(ID, 1, 1)).isInstanceOf(WriterConflictException.class);
        assertThatThrownBy(() -> two.append(ID, 3, 5)).isInstanceOf(WriterConflictException.class);
        assertThat(reader().recover(ID).stream().map(Event::writer))
                .containsOnly(one.writer())
                .hasSize(3);
    }

    @Test
    void b15_deletesAreBounded() {
        TestStore store = node();
        for (long first = 1; first <= 451; first += 90) {
            store.append(ID, first, first + 89);
        }
        var gate = proxy.hold(RequestMatch.operation("BatchWriteItem"));
        CompletableFuture<Void> delete = store.store().delete(ID, 500).toCompletableFuture();
        gate.awaitArrivals(4);
        for (int round = 0; round < 5; round++) {
            assertThat(gate.arrivals()).as("four under way at the most").isEqualTo(4 + round);
            gate.release();
            gate.awaitArrivals(5 + round);
        }
        gate.releaseAll();
        delete.join();
        assertThat(reader().recoveredNumbers(ID)).isEqualTo(numbers(501, 540));
    }

    @Test
    void b16_unprocessedKeys_areAskedForAgainWithBackOffUntilTheBudgetEnds() {
        TestStore store =
                journal.node().operationTimeout(Duration.ofMillis(1500)).build();
        store.append(ID, 1, 3);
        var rule = proxy.on(RequestMatch.operation("BatchGetItem"), Fault.unprocessed());
        assertThatThrownBy(() -> store.recover(ID)).isInstanceOf(ThrottledException.class);
        assertThat(rule.hits()).as("with back-off, not in a tight loop").isBetween(5, 200);
    }

    @Test
    void b17_nothingIsReadTwice() {
        TestStore store = node();
        store.append(ID, 1, 95);
        store.append(ID, 96, 150);
        TestStore other = node();
        other.highest("none");
        proxy.requests().clear();
        other.recover(ID);
        List<String> queried = proxy.requests().requests().stream()
                .filter(r -> r.operation().equals("Query") && r.items() > 1)
                .flatMap(r -> r.partitionKeys().stream())
                .toList();
        assertThat(queried).doesNotHaveDuplicates().hasSize(2);
    }

    @Test
    void b19_moreThan100Shards_aPartialFailureFailsTheRecovery() {
        TestStore store = journal.node()
                .shards(OptionalInt.of(150))
                .operationTimeout(Duration.ofMillis(1500))
                .build();
        store.append(ID, 1, 95);
        store.append(ID, 96, 150);
        assertThat(store.highest(ID)).isEqualTo(150);
        proxy.on(
                RequestMatch.operation("BatchGetItem").keyWhere(key -> key.endsWith("-77")),
                Fault.throttle(ThrottleCode.THROTTLING));
        assertThatThrownBy(() -> store.highest(ID)).isInstanceOf(ThrottledException.class);
        try (FaultProxy quiet = FaultProxy.start(TestStore.endpoint());
                DynamoDbAsyncClient quietClient = quiet.client()) {
            TestStore other = TestStore.on(quietClient, journal.table())
                    .shards(OptionalInt.of(150))
                    .build();
            assertThat(other.highest(ID)).isEqualTo(150);
            assertThat(quiet.requests().requests().stream()
                            .filter(r -> r.operation().equals("BatchGetItem"))
                            .mapToInt(RecordedRequest::items)
                            .sum())
                    .as("low and high marks, and the low ones once more")
                    .isEqualTo(450);
        }
    }

    @Test
    void b20_timestampMetadataAndTags_areStored() {
        TestStore store = node();
        var event = new AppendRequest.NewEvent(
                1,
                TestStore.payload("x"),
                "w",
                "",
                java.util.Optional.of(TestStore.payload("meta")),
                java.util.Set.of("red"));
        TestStore.await(store.appendAsync(ID, new AppendRequest(ID, List.of(event))));
        assertThat(reader().recover(ID)).singleElement().satisfies(stored -> {
            assertThat(stored.timestamp()).isPositive();
            assertThat(stored.tags()).containsExactly("red");
            assertThat(stored.metadata()).contains(TestStore.payload("meta"));
        });
    }
}
