package io.varve.store.internal.journal;

import static io.varve.store.internal.journal.StoredItems.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.TableException;
import io.varve.store.VarveException;
import io.varve.store.internal.append.AppendRequest;
import io.varve.store.internal.append.AppendResult;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.replay.Replayer;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** What a recovery finds, also in tables that are not as they should be. */
@ExtendWith(JournalFixture.Extension.class)
class RecoveryTest {
    private static final String ID = "cart|1";

    private final JournalFixture journal;

    RecoveryTest(JournalFixture journal) {
        this.journal = journal;
    }

    private TestStore node() {
        return journal.directNode().build();
    }

    private void removeHighMark() {
        journal.remove(TestStore.KEYS.highKey(ID, 0));
    }

    private void removeEvent(long number) {
        journal.remove(TestStore.KEYS.eventKey(ID, number));
    }

    @Test
    void eventsOverManyGroups_comeInOrder() {
        node().fill(ID, 1, 1234);
        assertThat(node().recoveredNumbers(ID)).isEqualTo(numbers(1, 1234));
    }

    @Test
    void bounds_areKept() {
        TestStore store = node();
        store.appendSingles(ID, 1, 3);
        for (long n = 4; n <= 250; n++) {
            store.append(ID, n, n);
        }
        assertThat(node().recover(ID, 50, 149, Long.MAX_VALUE).stream().map(Event::sequenceNumber))
                .isEqualTo(numbers(50, 149));
        assertThat(node().recover(ID, 50, Long.MAX_VALUE, 120).stream().map(Event::sequenceNumber))
                .isEqualTo(numbers(50, 169));
        assertThat(node().recover(ID, 1, 0, Long.MAX_VALUE)).isEmpty();
        assertThat(node().recover(ID, 1, 10, 0)).isEmpty();
        assertThat(node().recover(ID, 251, Long.MAX_VALUE, Long.MAX_VALUE)).isEmpty();
    }

    @Test
    void boundsThatCutAnAtomicWrite_leaveItOut_andMaxCountsWhatIsLeftOut() {
        TestStore store = node();
        store.append(ID, 1, 1);
        store.append(ID, 2, 5);
        store.append(ID, 6, 6);
        assertThat(node().recover(ID, 1, 4, Long.MAX_VALUE).stream().map(Event::sequenceNumber))
                .containsExactly(1L);
        assertThat(node().recover(ID, 1, Long.MAX_VALUE, 3).stream().map(Event::sequenceNumber))
                .containsExactly(1L);
        assertThat(node().recover(ID, 1, Long.MAX_VALUE, 5).stream().map(Event::sequenceNumber))
                .isEqualTo(numbers(1, 5));
    }

    @Test
    void markMissingAfterAFullGroup_isMadeUpFor() {
        node().fill(ID, 1, 350);
        removeHighMark();
        assertThat(node().recoveredNumbers(ID)).isEqualTo(numbers(1, 350));
        TestStore next = node();
        next.highest(ID);
        next.append(ID, 351, 351);
        assertThat(node().recoveredNumbers(ID)).isEqualTo(numbers(1, 351));
    }

    @Test
    void markMissingAfterAGroupThatIsNotFull_needsHighDistrust() {
        node().fill(ID, 1, 150);
        removeHighMark();
        removeEvent(99);
        removeEvent(98);
        assertThat(node().highest(ID)).isEqualTo(97);
        TestStore distrustful = journal.directNode().highDistrust().build();
        assertThat(distrustful.highest(ID)).isEqualTo(150);
    }

    @Test
    void markWhoseGroupIsEmpty_isNotBelieved() {
        node().fill(ID, 1, 120);
        Map<String, AttributeValue> mark = new HashMap<>(TestStore.KEYS.highKey(ID, 0));
        mark.put("seq", AttributeValue.fromN("500"));
        journal.put(mark);
        assertThat(node().recoveredNumbers(ID)).isEqualTo(numbers(1, 120));
        TestStore next = node();
        assertThat(next.highest(ID)).isEqualTo(120);
        next.append(ID, 121, 121);
        assertThat(node().recoveredNumbers(ID)).isEqualTo(numbers(1, 121));
    }

    @Test
    void hintInALaterGroup_findsTheSameHighest() {
        node().fill(ID, 1, 420);
        for (long hint : new long[] {0, 1, 99, 100, 250, 400, 420}) {
            assertThat(node().highest(ID, hint)).isEqualTo(420);
        }
        assertThat(node().recover(ID, 300, Long.MAX_VALUE, Long.MAX_VALUE).stream()
                        .map(Event::sequenceNumber))
                .isEqualTo(numbers(300, 420));
    }

    @Test
    void largeEvents_arePagedWithinAGroup() {
        TestStore store = node();
        String large = "x".repeat(300_000);
        for (long n = 1; n <= 12; n++) {
            TestStore.await(store.appendAsync(ID, new AppendRequest(ID, List.of(store.event(n, large)))));
        }
        assertThat(node().recoveredNumbers(ID)).isEqualTo(numbers(1, 12));
    }

    @Test
    void receiver_isHandedTheNextPageOnlyWhenItIsDoneWithTheLast() {
        node().fill(ID, 1, 450);
        TestStore store = journal.node().build();
        store.highest("none");
        List<CompletableFuture<Void>> pages = new ArrayList<>();
        CompletableFuture<Void> replay = store.store()
                .replay(new Replayer.Range(ID, 1, 450, Long.MAX_VALUE), page -> {
                    CompletableFuture<Void> room = new CompletableFuture<>();
                    pages.add(room);
                    return room;
                })
                .toCompletableFuture();
        for (int page = 0; page < 5; page++) {
            int number = page;
            Awaitility.await().until(() -> pages.size() == number + 1);
            assertThat(replay).isNotDone();
            pages.get(number).complete(null);
        }
        replay.join();
    }

    @Test
    void expiredEvents_areNotReplayed_andTheHighestCountsThem() {
        TestStore store = node();
        store.appendSingles(ID, 1, 3);
        Map<String, AttributeValue> item = new HashMap<>(journal.item(TestStore.KEYS.eventKey(ID, 3)));
        item.put(
                "expiry",
                AttributeValue.fromN(
                        Long.toString(Instant.now().minusSeconds(60).getEpochSecond())));
        journal.put(item);
        assertThat(node().recoveredNumbers(ID)).containsExactly(1L, 2L);
    }

    @Test
    void recoveryWhileADeleteRuns_seesAllFromTheMarkOn() {
        TestStore store = node();
        store.fill(ID, 1, 300);
        try (FaultProxy proxy = FaultProxy.start(TestStore.endpoint());
                DynamoDbAsyncClient client = proxy.client()) {
            TestStore deleting = TestStore.on(client, journal.table()).build();
            deleting.highest(ID);
            var gate = proxy.hold(RequestMatch.operation("BatchWriteItem").skip(3));
            CompletableFuture<Void> delete = deleting.store().delete(ID, 220).toCompletableFuture();
            gate.awaitArrival();
            assertThat(node().recoveredNumbers(ID)).isEqualTo(numbers(221, 300));
            gate.releaseAll();
            delete.join();
        }
        assertThat(node().recoveredNumbers(ID)).isEqualTo(numbers(221, 300));
    }

    @Test
    void recoveryThatReadTheMarksBeforeADelete_failsRatherThanReplayAHistoryWithHoles() {
        node().fill(ID, 1, 300);
        try (FaultProxy proxy = FaultProxy.start(TestStore.endpoint());
                DynamoDbAsyncClient client = proxy.client()) {
            TestStore recovering = TestStore.on(client, journal.table()).build();
            assertThat(recovering.highest("none")).isZero();
            var laterGroups = proxy.hold(RequestMatch.operation("Query").key("journal-P-cart|1-1"));
            CompletableFuture<Long> highest =
                    recovering.store().highestSequenceNumber(ID, 0).toCompletableFuture();
            laterGroups.awaitArrival();
            assertThat(highest.join()).isEqualTo(300);
            CompletableFuture<?> replay = recovering
                    .store()
                    .replay(
                            new Replayer.Range(ID, 1, 300, Long.MAX_VALUE),
                            page -> CompletableFuture.completedFuture(null))
                    .toCompletableFuture();
            node().delete(ID, 220);
            laterGroups.releaseAll();
            assertThatThrownBy(() -> TestStore.await(replay))
                    .isInstanceOf(VarveException.class)
                    .hasMessageContaining(
                            "The events of 'cart|1' up to 220 were deleted while they were being replayed")
                    .hasMessageContaining("recover the entity again");
        }
        assertThat(node().recoveredNumbers(ID)).isEqualTo(numbers(221, 300));
    }

    @Test
    void eventsThatAreWrittenBetweenTheRequestsOfARecovery_areReplayedWithTheOthers() {
        TestStore writing = node();
        writing.fill(ID, 1, 95);
        FaultProxy proxy = journal.proxy();
        TestStore recovering = journal.node().build();
        recovering.highest("none");
        proxy.requests().clear();
        var marks = proxy.hold(RequestMatch.operation("BatchGetItem"));
        CompletableFuture<Long> highest =
                recovering.store().highestSequenceNumber(ID, 0).toCompletableFuture();
        marks.awaitArrival();
        Awaitility.await()
                .until(() -> proxy.requests().requests().stream()
                        .anyMatch(r -> r.operation().equals("Query") && r.succeeded()));
        writing.appendSingles(ID, 96, 103);
        marks.releaseAll();
        assertThat(highest.join()).isEqualTo(103);
        assertThat(recovering.replay(ID, 1, 103, Long.MAX_VALUE).stream().map(Event::sequenceNumber))
                .isEqualTo(numbers(1, 103));
    }

    @Test
    void eventAtTheSnapshotWasRejected_theTailIsFoundBeforeIt() {
        TestStore store = node();
        store.fill(ID, 1, 149);
        TestStore next = journal.directNode()
                .clock(() -> Instant.parse("2001-01-01T00:00:00Z"))
                .build();
        assertThat(next.highest(ID, 150)).isEqualTo(150);
        next.append(ID, 151, 151);
        assertThat(journal.item(TestStore.KEYS.standInKey(ID)))
                .as("event 1 is there")
                .isEmpty();
        List<Event> events = node().recover(ID);
        assertThat(events.get(events.size() - 1).timestamp())
                .isGreaterThan(events.get(events.size() - 2).timestamp());
    }

    @Test
    void timestamps_increaseStrictlyAcrossAClockThatStepsBackAndAHandOverToAClockBehind() {
        Instant noon = Instant.parse("2030-01-01T12:00:00Z");
        AtomicReference<Instant> clock = new AtomicReference<>(noon);
        TestStore one = journal.directNode().clock(clock::get).build();
        one.append(ID, 1, 1);
        one.append(ID, 2, 4);
        clock.set(noon.minusSeconds(600));
        one.append(ID, 5, 5);
        TestStore behind = journal.directNode()
                .clock(() -> noon.minus(1, ChronoUnit.HOURS))
                .build();
        behind.highest(ID);
        behind.append(ID, 6, 6);
        behind.delete(ID, 6);
        TestStore further = journal.directNode()
                .clock(() -> noon.minus(2, ChronoUnit.HOURS))
                .build();
        further.highest(ID);
        further.append(ID, 7, 7);
        List<Long> timestamps = new ArrayList<>();
        timestamps.add(micros(noon) + 5);
        further.recover(ID).forEach(event -> timestamps.add(event.timestamp()));
        assertThat(timestamps).isSorted().doesNotHaveDuplicates().hasSize(2);
    }

    private static long micros(Instant instant) {
        return instant.getEpochSecond() * 1_000_000;
    }

    @Test
    void timestamps_ofEveryEventIncrease() {
        Instant noon = Instant.parse("2030-01-01T12:00:00Z");
        TestStore store = journal.directNode().clock(() -> noon).build();
        store.append(ID, 1, 1);
        store.append(ID, 2, 30);
        TestStore next = journal.directNode().clock(() -> noon.minusSeconds(9)).build();
        next.highest(ID);
        next.append(ID, 31, 31);
        assertThat(node().recover(ID).stream().map(Event::timestamp))
                .isEqualTo(LongStream.rangeClosed(0, 30)
                        .mapToObj(i -> micros(noon) + i)
                        .toList());
    }

    @Test
    void sequenceShards_autoIsOneInAnEmptyTableAndTenInAnyOther() {
        TestStore store = journal.directNode().shards(OptionalInt.empty()).build();
        store.append(ID, 1, 1);
        assertThat(meta()).containsEntry("sequence_shards", AttributeValue.fromN("1"));
        assertThat(meta()).containsEntry("index_shards", AttributeValue.fromN("64"));
        journal.remove(TestStore.KEYS.metaKey());
        journal.directNode().shards(OptionalInt.empty()).build().highest(ID);
        assertThat(meta()).containsEntry("sequence_shards", AttributeValue.fromN("10"));
    }

    @Test
    void sequenceShards_canBeRaisedButNotLowered() {
        journal.directNode().shards(OptionalInt.of(10)).build().append(ID, 1, 1);
        assertThatThrownBy(() ->
                        journal.directNode().shards(OptionalInt.of(5)).build().highest(ID))
                .isInstanceOf(TableException.class)
                .hasMessageContaining("sequence-shards is 5")
                .hasMessageContaining("10 shards");
        journal.directNode().shards(OptionalInt.of(20)).build().highest(ID);
        assertThat(meta()).containsEntry("sequence_shards", AttributeValue.fromN("20"));
        TestStore auto = journal.directNode().shards(OptionalInt.empty()).build();
        assertThat(auto.recoveredNumbers(ID)).containsExactly(1L);
    }

    @Test
    void indexShards_areFixedForLife() {
        journal.directNode().build().highest(ID);
        assertThatThrownBy(() -> journal.directNode().indexShards(32).build().highest(ID))
                .isInstanceOf(TableException.class)
                .hasMessageContaining("slice-index.shards is 32")
                .hasMessageContaining("begun with 64");
    }

    @Test
    void twoNodesThatBeginAtOnce_agree() {
        List<CompletableFuture<Long>> nodes = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            nodes.add(journal.directNode()
                    .shards(OptionalInt.empty())
                    .build()
                    .store()
                    .highestSequenceNumber(ID, 0)
                    .toCompletableFuture());
        }
        nodes.forEach(CompletableFuture::join);
        assertThat(meta().get("sequence_shards")).isIn(AttributeValue.fromN("1"), AttributeValue.fromN("10"));
    }

    private Map<String, AttributeValue> meta() {
        return journal.item(TestStore.KEYS.metaKey());
    }

    @Test
    void rejectedEventAtTheStartOfAGroup_leavesTheMarkToTheNextOne() {
        TestStore store = node();
        store.fill(ID, 1, 99);
        String tooLarge = "x".repeat(410_000);
        AppendResult rejected = TestStore.await(
                        store.appendAsync(ID, new AppendRequest(ID, List.of(store.event(100, tooLarge)))))
                .get(0);
        assertThat(rejected)
                .isInstanceOfSatisfying(
                        AppendResult.Rejected.class,
                        r -> assertThat(r.reason())
                                .hasMessageContaining("Event 100 of 'cart|1' is too large")
                                .hasMessageContaining("410000 of them the serialized event")
                                .hasMessageContaining("the limit is 409600"));
        store.append(ID, 101, 101);
        assertThat(journal.item(TestStore.KEYS.highKey(ID, 0))).containsEntry("seq", AttributeValue.fromN("100"));
        assertThat(node().highest(ID)).isEqualTo(101);
    }

    @Test
    void rejectedFirstEvent_leavesTheEntityListed() {
        TestStore store = node();
        store.append(ID, 2, 2);
        assertThat(journal.item(TestStore.KEYS.eventKey(ID, 1)))
                .containsEntry("persistence_id", AttributeValue.fromS(ID))
                .containsKey("pid_bucket");
        assertThat(node().recoveredNumbers(ID)).containsExactly(2L);
    }

    @Test
    void deletedFirstEvent_leavesTheEntityListed() {
        TestStore store = node();
        store.append(ID, 1, 1);
        store.delete(ID, 1);
        assertThat(journal.item(TestStore.KEYS.standInKey(ID))).containsKey("pid_bucket");
    }
}
