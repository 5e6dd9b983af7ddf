package io.varve.store.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.StoreException;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A write that was reported as failed arrives in a number that was deleted since, while somebody recovers. */
@ExtendWith(JournalFixture.Extension.class)
class LateWriteBesideDeleteTest {
    private static final String ID = "cart|1";

    private final JournalFixture journal;

    LateWriteBesideDeleteTest(JournalFixture journal) {
        this.journal = journal;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 2})
    void writeThatArrivesInADeletedNumber_isNotTakenForTheTail(long hint) {
        TestStore slow =
                journal.node().operationTimeout(Duration.ofMillis(1500)).build();
        slow.append(ID, 1, 1);
        Gate late = journal.proxy().hold(RequestMatch.operation("PutItem").times(1));
        assertThatThrownBy(() -> slow.append(ID, 2, 2)).isInstanceOf(StoreException.class);
        late.awaitArrival();
        TestStore owner = journal.directNode().build();
        assertThat(owner.highest(ID)).isEqualTo(1);
        owner.append(ID, 2, 2);
        owner.append(ID, 3, 3);
        TestStore recovering = journal.warm(journal.node());
        journal.proxy().requests().clear();
        Gate tail = journal.proxy()
                .hold(RequestMatch.operation("Query")
                        .key(TestStore.KEYS.eventPartition(ID, 0))
                        .times(1));
        CompletableFuture<Long> highest =
                recovering.store().highestSequenceNumber(ID, hint).toCompletableFuture();
        tail.awaitArrival();
        owner.delete(ID, 3);
        late.releaseAll();
        Awaitility.await()
                .until(() -> !journal.item(TestStore.KEYS.eventKey(ID, 2)).isEmpty());
        tail.releaseAll();
        long last = highest.join();
        recovering.append(ID, last + 1, last + 1);
        assertThat(journal.directNode().build().recoveredNumbers(ID))
                .as("what is replayed of an event that was acknowledged")
                .containsExactly(last + 1);
        assertThat(last).isEqualTo(3);
    }
}
