package io.varve.store.internal.journal;

import static io.varve.store.internal.journal.StoredItems.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.StoreException;
import io.varve.store.WriterConflictException;
import io.varve.store.internal.append.AppendRequest;
import io.varve.store.internal.append.AppendRequest.NewEvent;
import io.varve.store.internal.append.AppendResult;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.Payload;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes of one entity that wait together. */
@ExtendWith(JournalFixture.Extension.class)
class JoinedWritesTest {
    private static final String ID = "cart|1";
    private static final Payload TOO_LARGE = TestStore.payload("x".repeat(410_000));

    private final JournalFixture journal;
    private final FaultProxy proxy;

    JoinedWritesTest(JournalFixture journal) {
        this.journal = journal;
        this.proxy = journal.proxy();
    }

    private TestStore node() {
        return ready(journal.node());
    }

    private TestStore ready(TestStore.Builder builder) {
        TestStore store = builder.build();
        store.highest(ID);
        proxy.requests().clear();
        return store;
    }

    private static AppendRequest single(TestStore store, long number, String text) {
        return new AppendRequest(ID, List.of(store.event(number, text)));
    }

    private static AppendRequest tooLarge(TestStore store, long number) {
        return new AppendRequest(
                ID, List.of(new NewEvent(number, TOO_LARGE, store.writer(), "", Optional.empty(), Set.of())));
    }

    private static List<AppendRequest> singles(TestStore store, long first, long last) {
        return LongStream.rangeClosed(first, last)
                .mapToObj(n -> store.write(ID, n, n))
                .toList();
    }

    private static List<AppendResult> append(TestStore store, List<AppendRequest> writes) {
        return TestStore.await(store.append(ID, CompletableFuture.completedFuture(writes)));
    }

    private List<String> requests() {
        return proxy.requests().operations();
    }

    @Test
    void fewerThanFour_areARequestEach() {
        TestStore store = node();
        append(store, singles(store, 1, 3));
        assertThat(requests()).containsExactly("PutItem", "PutItem", "PutItem");
    }

    @Test
    void fourAndMore_areOneTransaction_eachAWriteOfItsOwn() {
        TestStore store = node();
        List<AppendResult> results = append(store, singles(store, 1, 4));
        assertThat(requests()).containsExactly("TransactWriteItems(4)");
        assertThat(results)
                .hasSize(4)
                .allSatisfy(result -> assertThat(result)
                        .isInstanceOfSatisfying(
                                AppendResult.Stored.class,
                                stored -> assertThat(stored.events()).hasSize(1)));
        assertThat(journal.item(TestStore.KEYS.eventKey(ID, 2))).doesNotContainKeys("idx", "cnt", "batch_id");
        assertThat(node().recover(ID)).extracting(Event::batch).allMatch(batch -> batch.isEmpty());
        assertThat(node().recover(ID).stream().map(Event::timestamp).toList())
                .isSorted()
                .doesNotHaveDuplicates();
    }

    @Test
    void twoThousandWrites_areTransactionsOfAHundredActions_andTheRestBelowFourOneByOne() {
        TestStore store = node();
        assertThat(append(store, singles(store, 1, 2_002))).hasSize(2_002);
        assertThat(requests()).hasSize(21).startsWith("TransactWriteItems(99)").endsWith("TransactWriteItems(23)");
        assertThat(requests().subList(1, 20)).containsOnly("TransactWriteItems(100)");
        assertThat(node().recoveredNumbers(ID)).isEqualTo(numbers(1, 2_002));
        proxy.requests().clear();
        append(store, singles(store, 2_003, 2_104));
        assertThat(requests()).containsExactly("TransactWriteItems(100)", "PutItem", "PutItem", "PutItem");
    }

    @Test
    void transactions_haveAtMostFourMegabytes() {
        TestStore store = node();
        String large = "x".repeat(390_000);
        append(
                store,
                LongStream.rangeClosed(1, 25)
                        .mapToObj(n -> single(store, n, large))
                        .toList());
        assertThat(requests())
                .containsExactly("TransactWriteItems(10)", "TransactWriteItems(10)", "TransactWriteItems(5)");
        assertThat(node().recoveredNumbers(ID)).isEqualTo(numbers(1, 25));
    }

    @Test
    void rejection_isItsOwn_andItsNumberIsTakenInTheSameTransaction() {
        TestStore store = node();
        List<AppendResult> results = append(
                store,
                List.of(
                        tooLarge(store, 1),
                        single(store, 2, "two"),
                        tooLarge(store, 3),
                        tooLarge(store, 4),
                        single(store, 5, "five"),
                        tooLarge(store, 6)));
        assertThat(results)
                .extracting(result -> result instanceof AppendResult.Stored)
                .containsExactly(false, true, false, false, true, false);
        assertThat(requests()).containsExactly("TransactWriteItems(5)");
        assertThat(node().recoveredNumbers(ID)).containsExactly(2L, 5L);
        assertThat(node().highest(ID)).isEqualTo(5);
        append(store, singles(store, 7, 7));
        assertThat(node().recoveredNumbers(ID)).containsExactly(2L, 5L, 7L);
    }

    @Test
    void nothingButRejections_isNoRequest() {
        TestStore store = node();
        List<AppendResult> results = append(
                store,
                LongStream.rangeClosed(1, 5_000)
                        .mapToObj(n -> tooLarge(store, n))
                        .toList());
        assertThat(results).hasSize(5_000).allMatch(AppendResult.Rejected.class::isInstance);
        assertThat(requests()).isEmpty();
    }

    @Test
    void atomicWritesAmongThem_stayAtomicWrites() {
        TestStore store = node();
        append(
                store,
                List.of(
                        store.write(ID, 1, 1),
                        store.write(ID, 2, 4),
                        store.write(ID, 5, 60),
                        store.write(ID, 61, 130),
                        store.write(ID, 131, 131),
                        store.write(ID, 132, 260),
                        store.write(ID, 261, 261)));
        // Of what waits, as much as fits: 1..60; then three wait: one by one, the large one as a chain.
        assertThat(requests())
                .containsExactly(
                        "TransactWriteItems(60)",
                        "TransactWriteItems(72)",
                        "TransactWriteItems(99)",
                        "TransactWriteItems(32)",
                        "PutItem");
        List<Event> recovered = node().recover(ID);
        assertThat(recovered).hasSize(261);
        assertThat(recovered.get(1).batchEnd()).isEqualTo(4);
        assertThat(recovered.get(4).batchEnd()).isEqualTo(60);
        assertThat(recovered.get(130).batch()).isEmpty();
    }

    @Test
    void marked_batchesGoAloneAndSingleEventsAreJoined() {
        TestStore store = ready(journal.node().marked());
        List<AppendRequest> writes = new ArrayList<>(singles(store, 1, 5));
        writes.add(store.write(ID, 6, 10));
        writes.addAll(singles(store, 11, 12));
        append(store, writes);
        assertThat(requests()).containsExactly("TransactWriteItems(5)", "BatchWriteItem(5)", "PutItem", "PutItem");
        assertThat(node().recoveredNumbers(ID)).isEqualTo(numbers(1, 12));
    }

    @Test
    void joiningOff_isARequestEach() {
        TestStore store = ready(journal.node().joinWritesFrom(Integer.MAX_VALUE));
        append(store, singles(store, 1, 10));
        assertThat(requests()).hasSize(10).containsOnly("PutItem");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void lostAnswer_isAcknowledgedOnce(int skip) {
        TestStore store = node();
        proxy.on(RequestMatch.operation("TransactWriteItems").skip(skip).times(1), Fault.resetAfter());
        assertThat(append(store, singles(store, 1, 150))).hasSize(150);
        append(store, singles(store, 151, 151));
        assertThat(node().recoveredNumbers(ID)).isEqualTo(numbers(1, 151));
    }

    @Test
    void anotherWriterInTheWay_failsThemAllAndThoseBehindAreNotSent() {
        TestStore stale = node();
        TestStore owner = node();
        owner.append(ID, 1, 5);
        proxy.requests().clear();
        assertThatThrownBy(() -> append(stale, singles(stale, 1, 250)))
                .isInstanceOf(WriterConflictException.class)
                .hasMessageContaining("Event 1 of 'cart|1' was not written");
        assertThat(requests()).containsExactly("TransactWriteItems(99)");
        assertThat(node().recover(ID)).extracting(Event::writer).hasSize(5).containsOnly(owner.writer());
    }

    @Test
    void failureInTheMiddle_leavesWhatWasStoredBeforeAndNothingBehindIt() {
        TestStore store = ready(journal.node().withoutRetries());
        proxy.on(RequestMatch.operation("TransactWriteItems").skip(1).times(1), Fault.internalServerError());
        assertThatThrownBy(() -> append(store, singles(store, 1, 350))).isInstanceOf(StoreException.class);
        assertThat(requests()).hasSize(2);
        TestStore next = node();
        assertThat(next.recoveredNumbers(ID)).isEqualTo(numbers(1, 99));
        append(next, singles(next, 100, 350));
        assertThat(node().recoveredNumbers(ID)).isEqualTo(numbers(1, 350));
    }

    @Test
    void eachStep_hasATimeOfItsOwn() {
        Duration operationTimeout = Duration.ofSeconds(2);
        TestStore store = ready(journal.node().joinWritesFrom(Integer.MAX_VALUE).operationTimeout(operationTimeout));
        proxy.on(RequestMatch.operation("PutItem"), Fault.delay(operationTimeout.dividedBy(3)));
        List<AppendResult> results = TestStore.await(store.store()
                .append(ID, CompletableFuture.completedFuture(singles(store, 1, 4)), Duration.ofSeconds(30)));
        assertThat(results).hasSize(4);
    }

    @Test
    void whenTheTimeOfAllIsOver_nothingMoreIsSent() {
        TestStore store = node();
        var gate = proxy.hold(RequestMatch.operation("TransactWriteItems").times(1));
        CompletableFuture<?> writing = store.store()
                .append(ID, CompletableFuture.completedFuture(singles(store, 1, 300)), Duration.ofMillis(700))
                .toCompletableFuture();
        gate.awaitArrival();
        assertThatThrownBy(() -> TestStore.await(writing)).isInstanceOf(StoreException.class);
        gate.releaseAll();
        store.highest("another");
        assertThat(requests()).filteredOn(r -> r.startsWith("Transact")).hasSize(1);
    }
}
