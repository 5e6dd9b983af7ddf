package io.varve.store.internal.journal;

import static io.varve.store.internal.journal.StoredItems.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.testkit.FaultProxy;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A large atomic write that is under way: who looks at it half done must not take it for a dead node's. */
@ExtendWith(JournalFixture.Extension.class)
class OwnChainTest {
    private static final String ID = "cart|1";

    private final JournalFixture journal;
    private final FaultProxy proxy;

    OwnChainTest(JournalFixture journal) {
        this.journal = journal;
        this.proxy = journal.proxy();
    }

    private TestStore node() {
        TestStore store = journal.node().build();
        store.append(ID, 1, 5);
        return store;
    }

    private Gate secondTransaction() {
        return proxy.hold(RequestMatch.operation("TransactWriteItems").skip(1).times(1));
    }

    private void assertWhole() {
        assertThat(journal.directNode().build().recoveredNumbers(ID)).isEqualTo(numbers(1, 250));
    }

    @Test
    void staleRecoveryOfTheSameNode_waitsForIt() {
        TestStore store = node();
        Gate marks = proxy.hold(RequestMatch.operation("BatchGetItem").times(1));
        CompletableFuture<Long> stale =
                store.store().highestSequenceNumber(ID, 0).toCompletableFuture();
        marks.awaitArrival();
        Gate second = secondTransaction();
        CompletableFuture<?> writing =
                store.appendAsync(ID, store.write(ID, 6, 250)).toCompletableFuture();
        second.awaitArrival();
        marks.releaseAll();
        // By now a recovery that did not wait would have given the chain up.
        for (int i = 0; i < 5; i++) {
            store.highest("another|" + i);
        }
        assertThat(stale).isNotDone();
        second.releaseAll();
        TestStore.await(writing);
        assertThat(stale.join()).isEqualTo(250);
        assertWhole();
    }

    @Test
    void deleteOfTheSameNode_waitsForIt() {
        TestStore store = node();
        Gate second = secondTransaction();
        CompletableFuture<?> writing =
                store.appendAsync(ID, store.write(ID, 6, 250)).toCompletableFuture();
        second.awaitArrival();
        CompletableFuture<Void> delete = store.store().delete(ID, 3).toCompletableFuture();
        store.highest("another");
        assertThat(delete).isNotDone();
        second.releaseAll();
        TestStore.await(writing);
        delete.join();
        assertThat(journal.directNode().build().recoveredNumbers(ID)).isEqualTo(numbers(4, 250));
    }

    @Test
    void deleteOfAnotherNode_doesNotGiveItUp() {
        TestStore store = node();
        Gate second = secondTransaction();
        CompletableFuture<?> writing =
                store.appendAsync(ID, store.write(ID, 6, 250)).toCompletableFuture();
        second.awaitArrival();
        journal.directNode().build().delete(ID, Long.MAX_VALUE);
        second.releaseAll();
        TestStore.await(writing);
        assertThat(journal.directNode().build().recoveredNumbers(ID)).isEqualTo(numbers(6, 250));
    }
}
