package io.varve.store.internal.journal;

import static io.varve.store.internal.journal.StoredItems.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.StoreException;
import io.varve.store.WriterConflictException;
import io.varve.store.internal.append.AppendResult;
import io.varve.store.internal.layout.Event;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.Gate;
import io.varve.testkit.RecordedRequest;
import io.varve.testkit.RequestMatch;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a large atomic write has left whose writer died: given up at once, removed as time allows. */
@ExtendWith(JournalFixture.Extension.class)
class LongChainTest {
    private static final String ID = "cart|1";
    private static final long STORED = 1_190;

    private final JournalFixture journal;
    private final FaultProxy proxy;
    private final StoredItems items;

    LongChainTest(JournalFixture journal) {
        this.journal = journal;
        this.proxy = journal.proxy();
        this.items = journal.items(ID);
    }

    /** Events 1 to 5, and an atomic write from 6 on that goes as far as {@link #STORED}. */
    @BeforeEach
    void create() {
        TestStore dead = elsewhere();
        dead.append(ID, 1, 5);
        dead.append(ID, 6, STORED + 10);
        items.take(STORED + 1, STORED + 10);
    }

    private TestStore elsewhere() {
        return journal.directNode().build();
    }

    private TestStore node() {
        return journal.warm(journal.node());
    }

    private int leftovers() {
        AtomicInteger left = new AtomicInteger();
        journal.direct()
                .scanPaginator(r -> r.tableName(journal.table()).consistentRead(true))
                .items()
                .subscribe(item -> left.addAndGet(item.containsKey("batch_id") ? 1 : 0))
                .join();
        return left.get();
    }

    private long queries() {
        return proxy.requests().requests().stream()
                .filter(r -> r.operation().equals("Query"))
                .count();
    }

    @Test
    void recovery_doesNotWaitForTheRemoval_andTheNextWriteDoes() {
        TestStore store = node();
        Gate removal = proxy.hold(RequestMatch.operation("TransactWriteItems").skip(1));
        assertThat(store.recoveredNumbers(ID)).isEqualTo(numbers(1, 5));
        removal.awaitArrival();
        CompletableFuture<?> writing =
                store.appendAsync(ID, store.write(ID, 6, 12)).toCompletableFuture();
        store.highest("another");
        assertThat(writing).isNotDone();
        assertThat(leftovers()).isEqualTo((int) STORED - 6);
        removal.releaseAll();
        TestStore.await(writing);
        assertThat(leftovers()).isZero();
        assertThat(elsewhere().recoveredNumbers(ID)).isEqualTo(numbers(1, 12));
    }

    @Test
    void removal_isATransactionOfUpTo100DeletionsForEachGroup() {
        TestStore store = node();
        store.highest(ID);
        store.append(ID, 6, 6);
        List<String> transactions = proxy.requests().requests().stream()
                .map(RecordedRequest::request)
                .map(Object::toString)
                .filter(request -> request.startsWith("Transact"))
                .toList();
        assertThat(transactions).hasSize(1 + 12).contains("TransactWriteItems(100)", "TransactWriteItems(93)");
    }

    @Test
    void readersSeeNothingOfIt_whileItIsBeingRemoved() {
        TestStore store = node();
        Gate removal = proxy.hold(RequestMatch.operation("TransactWriteItems").skip(1));
        store.highest(ID);
        removal.awaitArrivals(4);
        removal.release();
        removal.release();
        removal.awaitArrivals(6);
        EventReader reader = journal.directNode().reader();
        assertThat(TestStore.await(reader.lastSequenceNumber(ID))).isEqualTo(5);
        assertThat(TestStore.await(reader.events(ID, 1, Long.MAX_VALUE).next())
                        .map(page -> page.stream().map(Event::sequenceNumber).toList()))
                .isEqualTo(Optional.of(numbers(1, 5)));
        assertThat(TestStore.await(reader.event(ID, 50))).isEmpty();
        removal.releaseAll();
        store.append(ID, 6, 6);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 12})
    void removalThatFails_isResumedByTheNextWrite(int refused) {
        TestStore store = node();
        proxy.on(
                RequestMatch.operation("TransactWriteItems")
                        .where(request -> request.items() > 2)
                        .times(refused),
                Fault.error(400, "AccessDeniedException", "refused by the test"));
        assertThat(store.highest(ID)).isEqualTo(5);
        assertThat(appendUntilStored(store)).isInstanceOf(AppendResult.Stored.class);
        assertThat(leftovers()).isZero();
        assertThat(elsewhere().recoveredNumbers(ID)).isEqualTo(numbers(1, 6));
    }

    /** A write that cannot free its numbers fails, and the entity recovers. */
    private static AppendResult appendUntilStored(TestStore store) {
        while (true) {
            try {
                return store.append(ID, 6, 6);
            } catch (StoreException refused) {
                assertThat(refused).hasMessageContaining("refused by the test");
                assertThat(store.highest(ID)).isEqualTo(5);
            }
        }
    }

    @Test
    void twoNodesThatRemoveIt_doNotDisturbEachOther() {
        TestStore slow = node();
        Gate removal = proxy.hold(RequestMatch.operation("TransactWriteItems").skip(1));
        assertThat(slow.highest(ID)).isEqualTo(5);
        removal.awaitArrivals(4);
        TestStore fast = elsewhere();
        assertThat(fast.highest(ID)).isEqualTo(5);
        fast.append(ID, 6, 200);
        fast.append(ID, 201, 201);
        removal.releaseAll();
        assertThatThrownBy(() -> slow.append(ID, 6, 6)).isInstanceOf(WriterConflictException.class);
        assertThat(elsewhere().recoveredNumbers(ID)).isEqualTo(numbers(1, 201));
    }

    @Test
    void nextRecovery_looksAtTenEmptyGroupsAtOnce() {
        TestStore store = node();
        store.highest(ID);
        store.append(ID, 6, 6);
        TestStore next = journal.node().replayParallelism(1).build();
        next.highest("another");
        proxy.requests().clear();
        Gate groups = proxy.hold(RequestMatch.operation("Query")
                .keyWhere(key -> key.startsWith(TestStore.KEYS.eventPrefix() + ID + "-")
                        && !key.equals(TestStore.KEYS.eventPartition(ID, 0))
                        && !key.equals(TestStore.KEYS.eventPartition(ID, 12))));
        CompletableFuture<Long> highest =
                next.store().highestSequenceNumber(ID, 0).toCompletableFuture();
        groups.awaitArrivals(10);
        groups.releaseAll();
        assertThat(highest.join()).isEqualTo(6);
        assertThat(queries()).isEqualTo(1 + 1 + 10 + 1);
    }
}
