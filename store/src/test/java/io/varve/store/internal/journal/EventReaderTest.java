package io.varve.store.internal.journal;

import static io.varve.store.internal.journal.StoredItems.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.KeyException;
import io.varve.store.StoreException;
import io.varve.store.TableException;
import io.varve.store.internal.append.AppendRequest;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.replay.EventCursor;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.Gate;
import io.varve.testkit.RecordedRequest;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** What a reader sees of an entity while others write, die and delete; the reader itself changes nothing. */
@ExtendWith(JournalFixture.Extension.class)
class EventReaderTest {
    private static final String ID = "cart|1";

    private final JournalFixture journal;
    private final FaultProxy proxy;
    private final StoredItems items;

    EventReaderTest(JournalFixture journal) {
        this.journal = journal;
        this.proxy = journal.proxy();
        this.items = journal.items(ID);
    }

    /** Only readers use the proxy. */
    @AfterEach
    void nothingWasWritten() {
        assertThat(proxy.requests().requests().stream().map(RecordedRequest::operation))
                .isSubsetOf("GetItem", "BatchGetItem", "Query");
    }

    private TestStore node() {
        return journal.directNode().build();
    }

    private TestStore marked() {
        return journal.directNode().marked().build();
    }

    private EventReader reader() {
        return journal.node().reader();
    }

    private long last() {
        return TestStore.await(reader().lastSequenceNumber(ID));
    }

    private static Stream<Long> numbersOf(List<Event> events) {
        return events.stream().map(Event::sequenceNumber);
    }

    private static Optional<List<Long>> pull(EventCursor cursor) {
        return TestStore.await(cursor.next()).map(page -> numbersOf(page).toList());
    }

    /** All that is left in a cursor. */
    private static List<Long> drain(EventCursor cursor) {
        List<Long> all = new ArrayList<>();
        Optional<List<Long>> page = pull(cursor);
        while (page.isPresent()) {
            all.addAll(page.get());
            page = pull(cursor);
        }
        assertThat(pull(cursor)).as("the end is the end").isEmpty();
        return all;
    }

    private EventCursor from(long number) {
        return reader().events(ID, number, Long.MAX_VALUE);
    }

    // The last sequence number

    @Test
    void last_isWhatARecoveryFinds() {
        assertThat(last()).as("unknown entity").isZero();
        TestStore store = node();
        store.append(ID, 1, 90);
        assertThat(last()).isEqualTo(90);
        store.fill(ID, 91, 250);
        assertThat(last()).isEqualTo(250);
        store.delete(ID, 250);
        assertThat(last()).as("it survives the events").isEqualTo(250);
    }

    @Test
    void last_doesNotCountAnUnfinishedChain() {
        TestStore store = node();
        store.append(ID, 1, 5);
        store.append(ID, 6, 260);
        items.take(120, 260);
        assertThat(last()).isEqualTo(5);
        assertThat(node().highest(ID)).as("the recovery agrees").isEqualTo(5);
    }

    @Test
    void last_beforeAnUnfinishedChainThatFollowsARejectedEvent() {
        TestStore store = node();
        store.fill(ID, 1, 98);
        store.append(ID, 101, 300);
        items.take(99, 100); // as a predecessor rejects events
        items.take(210, 300);
        assertThat(last()).isEqualTo(98);
        assertThat(node().highest(ID)).isEqualTo(98);
    }

    @Test
    void last_whenNothingButAnUnfinishedChainIsLeft() {
        TestStore store = node();
        store.append(ID, 1, 200);
        items.take(150, 200);
        assertThat(last()).isZero();
        TestStore other = node();
        other.highest(ID);
        other.append(ID, 1, 10);
        other.delete(ID, 10);
        other.append(ID, 11, 200);
        items.take(150, 200);
        assertThat(last()).isEqualTo(10);
        assertThat(node().highest(ID)).isEqualTo(10);
    }

    @Test
    void last_countsAnIncompleteMarkedBatchAsARecoveryDoes() {
        marked().append(ID, 1, 10);
        items.take(4, 5);
        assertThat(last()).isEqualTo(10).isEqualTo(node().highest(ID));
        items.take(10, 10);
        assertThat(last()).isEqualTo(9).isEqualTo(node().highest(ID));
    }

    // Bounds

    @Test
    void eventsOverManyGroups_comeInOrderAGroupAtATime() {
        node().fill(ID, 1, 1234);
        EventCursor cursor = from(1);
        assertThat(cursor.nextSequenceNumber()).isEqualTo(1);
        assertThat(pull(cursor)).hasValueSatisfying(page -> assertThat(page).isEqualTo(numbers(1, 95)));
        assertThat(cursor.nextSequenceNumber()).isEqualTo(96);
        assertThat(drain(cursor)).isEqualTo(numbers(96, 1234));
        assertThat(cursor.nextSequenceNumber()).isEqualTo(1235);
    }

    @Test
    void bounds_areKept() {
        TestStore store = node();
        store.fill(ID, 1, 250);
        EventReader reader = reader();
        assertThat(drain(reader.events(ID, 50, 149))).isEqualTo(numbers(50, 149));
        assertThat(drain(reader.events(ID, 99, 100))).isEqualTo(numbers(99, 100));
        assertThat(drain(reader.events(ID, 250, 250))).isEqualTo(numbers(250, 250));
        assertThat(drain(reader.events(ID, -7, 3))).isEqualTo(numbers(1, 3));
        assertThat(drain(reader.events(ID, 200, Long.MAX_VALUE))).isEqualTo(numbers(200, 250));
    }

    @Test
    void boundsBeyondTheEvents_areEmptyAndSayWhereTheyBegan() {
        node().fill(ID, 1, 250);
        for (long from : new long[] {251, 300, 12_345, Long.MAX_VALUE - 1, Long.MAX_VALUE}) {
            EventCursor cursor = from(from);
            assertThat(drain(cursor)).isEmpty();
            assertThat(cursor.nextSequenceNumber()).isEqualTo(from);
        }
    }

    @Test
    void boundsThatHoldNothing_sendNothing() {
        EventCursor cursor = reader().events(ID, 5, 4);
        assertThat(drain(cursor)).isEmpty();
        assertThat(cursor.nextSequenceNumber()).isEqualTo(5);
        assertThat(drain(reader().events(ID, -5, 0))).isEmpty();
        assertThat(proxy.requests().operations()).isEmpty();
    }

    @Test
    void boundWhoseEventWasRejected_isPassedWhenALaterOneIsThere() {
        TestStore store = node();
        store.append(ID, 1, 4);
        assertThat(drain(reader().events(ID, 1, 5))).isEqualTo(numbers(1, 4));
        store.append(ID, 6, 6);
        EventCursor cursor = reader().events(ID, 1, 5);
        assertThat(drain(cursor)).isEqualTo(numbers(1, 4));
        assertThat(cursor.nextSequenceNumber()).isEqualTo(6);
    }

    @Test
    void unknownEntity_isEmpty() {
        EventCursor cursor = from(1);
        assertThat(drain(cursor)).isEmpty();
        assertThat(cursor.nextSequenceNumber()).isEqualTo(1);
    }

    @Test
    void boundsInsideAnAtomicWriteThatIsComplete_cutIt() {
        TestStore store = node();
        store.append(ID, 1, 90);
        store.append(ID, 91, 110);
        store.append(ID, 111, 111);
        assertThat(drain(reader().events(ID, 1, 95))).isEqualTo(numbers(1, 95));
        assertThat(drain(reader().events(ID, 93, 105))).isEqualTo(numbers(93, 105));
        EventCursor cursor = reader().events(ID, 91, 102);
        assertThat(drain(cursor)).isEqualTo(numbers(91, 102));
        assertThat(cursor.nextSequenceNumber()).isEqualTo(103);
        assertThat(drain(from(103))).isEqualTo(numbers(103, 111));
    }

    @Test
    void boundInsideAnAtomicWriteAfterARejectedNumber_cutsIt() {
        TestStore store = node();
        store.append(ID, 1, 49);
        store.append(ID, 51, 90);
        store.append(ID, 91, 110);
        assertThat(drain(reader().events(ID, 45, 95)))
                .isEqualTo(Stream.concat(numbers(45, 49).stream(), numbers(51, 95).stream())
                        .toList());
    }

    @Test
    void boundsInsideAnAtomicWriteThatIsNotComplete_leaveItOut() {
        TestStore store = marked();
        store.append(ID, 1, 90);
        store.append(ID, 91, 110);
        store.append(ID, 111, 111);
        items.take(92, 93);
        assertThat(drain(reader().events(ID, 94, 111)))
                .as("its beginning is missing")
                .containsExactly(111L);
        assertThat(drain(reader().events(ID, 80, 91))).as("its end is missing").isEqualTo(numbers(80, 90));
        EventCursor cursor = reader().events(ID, 94, 100);
        assertThat(drain(cursor)).isEmpty();
        assertThat(cursor.nextSequenceNumber())
                .as("it may still become complete")
                .isEqualTo(94);
    }

    @Test
    void largeEvents_arePagedWithinAGroup() {
        TestStore store = node();
        String large = "x".repeat(300_000);
        for (long n = 1; n <= 12; n++) {
            TestStore.await(store.appendAsync(ID, new AppendRequest(ID, List.of(store.event(n, large)))));
        }
        assertThat(drain(from(2))).isEqualTo(numbers(2, 12));
    }

    // Atomic writes that are not complete

    @Test
    void unfinishedChainAtTheTail_isLeftOutUntilItIsComplete() {
        TestStore store = node();
        store.append(ID, 1, 30);
        store.append(ID, 31, 260);
        List<Map<String, AttributeValue>> rest = items.take(140, 260);
        EventCursor cursor = from(1);
        assertThat(drain(cursor)).isEqualTo(numbers(1, 30));
        assertThat(cursor.nextSequenceNumber()).isEqualTo(31);
        items.put(rest.subList(0, rest.size() - 1));
        EventCursor longer = from(31);
        assertThat(drain(longer)).isEmpty();
        assertThat(longer.nextSequenceNumber()).isEqualTo(31);
        assertThat(drain(from(35))).as("nor from its middle on").isEmpty();
        items.put(rest);
        assertThat(drain(from(31))).isEqualTo(numbers(31, 260));
    }

    @Test
    void unfinishedChainThatAPredecessorHasWrittenAfter_isPassedOver() {
        TestStore store = node();
        store.append(ID, 1, 30);
        store.append(ID, 31, 260);
        items.take(140, 260);
        putLikeAPredecessor(140);
        EventCursor cursor = from(1);
        assertThat(drain(cursor))
                .isEqualTo(
                        Stream.concat(numbers(1, 30).stream(), Stream.of(140L)).toList());
        assertThat(cursor.nextSequenceNumber()).isEqualTo(141);
    }

    @Test
    void incompleteMarkedBatchAtTheTail_isLeftOutUntilItIsComplete() {
        TestStore store = marked();
        store.append(ID, 1, 90);
        store.append(ID, 91, 120);
        for (long missing : new long[] {91, 95, 100, 110, 120}) {
            List<Map<String, AttributeValue>> part = items.take(missing, missing);
            EventCursor cursor = from(1);
            assertThat(drain(cursor)).isEqualTo(numbers(1, 90));
            assertThat(cursor.nextSequenceNumber()).isEqualTo(91);
            items.put(part);
            assertThat(drain(from(91))).isEqualTo(numbers(91, 120));
        }
    }

    @Test
    void incompleteMarkedBatchInTheMiddle_isPassedOver() {
        TestStore store = marked();
        store.append(ID, 1, 10);
        store.append(ID, 11, 20);
        store.append(ID, 21, 21);
        items.take(15, 15);
        EventCursor cursor = from(1);
        assertThat(drain(cursor))
                .isEqualTo(
                        Stream.concat(numbers(1, 10).stream(), Stream.of(21L)).toList());
        assertThat(cursor.nextSequenceNumber()).isEqualTo(22);
    }

    // Missing, deleted and expired events

    @Test
    void rejectedNumbersAtAGroupsBorder_hideNothing() {
        TestStore store = node();
        store.fill(ID, 1, 98);
        store.append(ID, 102, 102);
        store.fill(ID, 103, 195);
        store.append(ID, 201, 205);
        List<Long> expected = new ArrayList<>(numbers(1, 98));
        expected.addAll(numbers(102, 195));
        expected.addAll(numbers(201, 205));
        assertThat(drain(from(1))).isEqualTo(expected);
        EventCursor cursor = reader().events(ID, 99, 101);
        assertThat(drain(cursor)).isEmpty();
        assertThat(drain(reader().events(ID, 100, 102))).containsExactly(102L);
    }

    @Test
    void prefixThatIsDeletedInsideAnAtomicWrite_leavesTheRest() {
        TestStore store = node();
        store.append(ID, 1, 10);
        store.append(ID, 11, 300);
        store.delete(ID, 4);
        assertThat(drain(from(1))).isEqualTo(numbers(5, 300));
        store.delete(ID, 150);
        EventCursor cursor = from(1);
        assertThat(drain(cursor)).isEqualTo(numbers(151, 300));
        assertThat(drain(from(200))).isEqualTo(numbers(200, 300));
    }

    @Test
    void everythingDeleted_theNextNumberIsAfterIt() {
        TestStore store = node();
        store.fill(ID, 1, 120);
        store.delete(ID, 120);
        EventCursor cursor = from(1);
        assertThat(drain(cursor)).isEmpty();
        assertThat(cursor.nextSequenceNumber()).isEqualTo(121);
        store.append(ID, 121, 121);
        assertThat(drain(from(121))).containsExactly(121L);
    }

    @Test
    void eventsDeletedWhileReading_areNotDelivered() {
        TestStore store = node();
        store.append(ID, 1, 90);
        store.append(ID, 91, 130);
        store.append(ID, 131, 220);
        store.append(ID, 221, 300);
        EventCursor cursor = journal.node().replayParallelism(1).reader().events(ID, 1, Long.MAX_VALUE);
        assertThat(pull(cursor)).hasValueSatisfying(page -> assertThat(page).isEqualTo(numbers(1, 90)));
        store.delete(ID, 240);
        assertThat(drain(cursor)).as("the rest of an atomic write, too").isEqualTo(numbers(241, 300));
        assertThat(cursor.nextSequenceNumber()).isEqualTo(301);
    }

    @Test
    void everythingDeletedWhileReading_isTheEnd() {
        TestStore store = node();
        store.fill(ID, 1, 300);
        EventCursor cursor = journal.node().replayParallelism(1).reader().events(ID, 1, Long.MAX_VALUE);
        pull(cursor);
        store.delete(ID, 300);
        assertThat(drain(cursor)).isEmpty();
        store.append(ID, 301, 301);
        assertThat(drain(from(cursor.nextSequenceNumber()))).containsExactly(301L);
    }

    @Test
    void expiredEvents_areLeftOut() {
        node().fill(ID, 1, 10);
        Instant now = Instant.parse("2030-01-01T00:00:00Z");
        items.set(3, "expiry", AttributeValue.fromN(Long.toString(now.getEpochSecond())));
        items.set(4, "expiry", AttributeValue.fromN(Long.toString(now.getEpochSecond() + 1)));
        items.set(10, "expiry", AttributeValue.fromN(Long.toString(now.getEpochSecond() - 1)));
        EventCursor cursor = journal.node().clock(() -> now).reader().events(ID, 1, Long.MAX_VALUE);
        assertThat(drain(cursor)).containsExactly(1L, 2L, 4L, 5L, 6L, 7L, 8L, 9L);
        assertThat(cursor.nextSequenceNumber()).isEqualTo(11);
    }

    // What happens between two requests

    @Test
    void eventsWrittenAfterTheFirstGroupWasReadAndBeforeTheTail_areNotOverlooked() {
        TestStore store = node();
        store.append(ID, 1, 95);
        Gate marks = proxy.hold(RequestMatch.operation("BatchGetItem"));
        EventCursor cursor = from(1);
        CompletableFuture<Optional<List<Event>>> first = cursor.next().toCompletableFuture();
        marks.awaitArrival();
        awaitAnswers("Query", 1);
        store.appendSingles(ID, 96, 103);
        marks.releaseAll();
        List<Long> all = new ArrayList<>(numbersOf(first.join().orElseThrow()).toList());
        all.addAll(drain(cursor));
        assertThat(all).isEqualTo(numbers(1, 103));
    }

    @Test
    void chainThatWasReplacedAfterItWasRead_isReadAgain() {
        TestStore store = node();
        store.append(ID, 1, 5);
        store.append(ID, 6, 260);
        items.take(150, 260);
        Gate marks = proxy.hold(RequestMatch.operation("BatchGetItem"));
        EventCursor whole = from(1);
        EventCursor middle = from(8);
        CompletableFuture<Optional<List<Event>>> first = whole.next().toCompletableFuture();
        CompletableFuture<Optional<List<Event>>> second = middle.next().toCompletableFuture();
        marks.awaitArrivals(2);
        awaitAnswers("Query", 2);
        TestStore next = node();
        assertThat(next.highest(ID)).isEqualTo(5);
        next.fill(ID, 6, 120);
        marks.releaseAll();
        List<Long> all = new ArrayList<>(numbersOf(first.join().orElseThrow()).toList());
        all.addAll(drain(whole));
        assertThat(all).isEqualTo(numbers(1, 120));
        List<Long> rest = new ArrayList<>(numbersOf(second.join().orElseThrow()).toList());
        rest.addAll(drain(middle));
        assertThat(rest).isEqualTo(numbers(8, 120));
    }

    private void awaitAnswers(String operation, int requests) {
        Awaitility.await()
                .until(() -> proxy.requests().requests().stream()
                                .filter(request -> request.operation().equals(operation) && request.succeeded())
                                .count()
                        == requests);
    }

    @Test
    void groupsAreFetchedAheadButNoFurtherThanAllowed() {
        node().fill(ID, 1, 1000);
        EventReader reader = journal.node().replayParallelism(3).reader();
        EventCursor cursor = reader.events(ID, 1, Long.MAX_VALUE);
        assertThat(proxy.requests().operations())
                .as("nothing before it is pulled")
                .isEmpty();
        pull(cursor);
        assertThat(queriedGroups()).isSubsetOf(group(0), group(1), group(2), group(10));
        pull(cursor);
        assertThat(queriedGroups()).isSubsetOf(group(0), group(1), group(2), group(3), group(10));
        EventCursor few = reader.events("cart|2", 1, 50);
        pull(few);
        assertThat(drain(cursor)).hasSizeGreaterThan(700);
    }

    @Test
    void fetchingAhead_endsWithTheBounds() {
        node().fill(ID, 1, 1000);
        assertThat(drain(reader().events(ID, 191, 310))).isEqualTo(numbers(191, 310));
        assertThat(queriedGroups()).containsOnly(group(1), group(2), group(3), group(10));
    }

    private List<String> queriedGroups() {
        return proxy.requests().requests().stream()
                .filter(request -> request.operation().equals("Query"))
                .flatMap(request -> request.partitionKeys().stream())
                .toList();
    }

    private static String group(long group) {
        return TestStore.KEYS.eventPartition(ID, group);
    }

    @Test
    void failure_canBeFollowedByAnotherCursor() {
        node().fill(ID, 1, 300);
        EventReader reader = journal.node()
                .replayParallelism(1)
                .operationTimeout(Duration.ofMillis(300))
                .reader();
        EventCursor cursor = reader.events(ID, 1, Long.MAX_VALUE);
        pull(cursor);
        proxy.on(RequestMatch.operation("Query"), Fault.resetBefore());
        assertThatThrownBy(() -> pull(cursor)).isInstanceOf(StoreException.class);
        proxy.clear();
        assertThat(cursor.nextSequenceNumber()).isEqualTo(96);
        assertThat(drain(from(cursor.nextSequenceNumber()))).isEqualTo(numbers(96, 300));
    }

    @Test
    void persistenceIdThatCannotBeAKey_failsTheStage() {
        EventCursor cursor = reader().events("", 1, 5);
        assertThat(cursor.next().toCompletableFuture())
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withCauseInstanceOf(KeyException.class);
    }

    // META, and tables of the predecessors

    @Test
    void withoutMeta_theReaderAssumesTheMostShardsAndAsksAgain() {
        TestStore store = journal.directNode().shards(OptionalInt.empty()).build();
        store.fill(ID, 1, 150);
        Map<String, AttributeValue> meta = journal.item(TestStore.KEYS.metaKey());
        journal.remove(TestStore.KEYS.metaKey());
        EventReader reader = journal.node().shards(OptionalInt.empty()).reader();
        assertThat(TestStore.await(reader.lastSequenceNumber(ID))).isEqualTo(150);
        assertThat(proxy.requests().operations())
                .containsExactly("GetItem", "Query", "BatchGetItem(20)", "Query", "BatchGetItem(10)");
        journal.put(meta);
        proxy.requests().clear();
        TestStore.await(reader.lastSequenceNumber(ID));
        TestStore.await(reader.lastSequenceNumber(ID));
        assertThat(proxy.requests().operations())
                .as("found, and then known")
                .containsExactly(
                        "GetItem",
                        "Query",
                        "BatchGetItem(2)",
                        "Query",
                        "BatchGetItem(1)",
                        "Query",
                        "BatchGetItem(2)",
                        "Query",
                        "BatchGetItem(1)");
    }

    @Test
    void emptyTableWithoutMeta_staysEmpty() {
        EventReader reader = journal.node().shards(OptionalInt.of(3)).reader();
        assertThat(drain(reader.events(ID, 1, Long.MAX_VALUE))).isEmpty();
        assertThat(proxy.requests().operations()).containsExactlyInAnyOrder("GetItem", "Query", "BatchGetItem(6)");
        assertThat(journal.direct()
                        .scan(r -> r.tableName(journal.table()))
                        .join()
                        .items())
                .isEmpty();
    }

    @Test
    void meta_theReaderNeverLooksAtFewerShardsThanThereAre() {
        journal.directNode().shards(OptionalInt.of(10)).build().append(ID, 1, 3);
        for (int configured : new int[] {5, 20}) {
            EventReader reader =
                    journal.node().shards(OptionalInt.of(configured)).reader();
            assertThat(TestStore.await(reader.lastSequenceNumber(ID))).isEqualTo(3);
        }
        assertThat(proxy.requests().operations())
                .contains("BatchGetItem(20)", "BatchGetItem(40)")
                .hasSize(6);
    }

    @Test
    void meta_indexShardsMustAgree() {
        node().append(ID, 1, 1);
        EventReader reader = journal.node().indexShards(32).reader();
        assertThatThrownBy(() -> TestStore.await(reader.lastSequenceNumber(ID)))
                .isInstanceOf(TableException.class)
                .hasMessageContaining("slice-index.shards is 32")
                .hasMessageContaining("begun with 64");
    }

    @Test
    void itemsOfAPredecessor_areReadAsTheyAre() {
        for (long n = 1; n <= 130; n++) {
            putLikeAPredecessor(n);
        }
        Map<String, AttributeValue> mark = new HashMap<>(TestStore.KEYS.highKey(ID, 1));
        mark.put("seq", AttributeValue.fromN("100"));
        journal.put(mark);
        EventReader reader = journal.node().shards(OptionalInt.empty()).reader();
        assertThat(TestStore.await(reader.lastSequenceNumber(ID))).isEqualTo(130);
        assertThat(drain(reader.events(ID, 1, Long.MAX_VALUE))).isEqualTo(numbers(1, 130));
        Event event = TestStore.await(reader.event(ID, 130)).orElseThrow();
        assertThat(event.timestamp()).isZero();
        assertThat(TestStore.text(event)).isEqualTo("event-130");
        assertThat(TestStore.await(reader.before(ID, 130, 0)))
                .as("no timestamp is after any")
                .isEmpty();
        assertThat(numbersOf(TestStore.await(reader.before(ID, 130, -1)))).isEqualTo(numbers(1, 129));
    }

    private void putLikeAPredecessor(long number) {
        Map<String, AttributeValue> item = new HashMap<>(TestStore.KEYS.eventKey(ID, number));
        item.put("persistence_id", AttributeValue.fromS(ID));
        item.put("seq", AttributeValue.fromN(Long.toString(number)));
        item.put("event", AttributeValue.fromB(SdkBytes.fromUtf8String("event-" + number)));
        item.put("ev_ser_id", AttributeValue.fromN("20"));
        item.put("writer_uuid", AttributeValue.fromS("predecessor"));
        journal.put(item);
    }
}
