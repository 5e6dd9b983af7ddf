package io.varve.store.internal.journal;

import static io.varve.store.internal.journal.StoredItems.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.StoreException;
import io.varve.store.StoreObserver;
import io.varve.store.ThrottledException;
import io.varve.store.VarveException;
import io.varve.store.internal.append.AppendRequest;
import io.varve.store.internal.append.AppendResult;
import io.varve.store.internal.async.Backoff;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.GatewaySettings;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.ThrottleCode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;

/** Writes whose answer is lost, late, or never comes. */
@ExtendWith(JournalFixture.Extension.class)
class LostAnswersTest {
    private static final String ID = "cart|1";

    private final JournalFixture journal;
    private final FaultProxy proxy;

    LostAnswersTest(JournalFixture journal) {
        this.journal = journal;
        this.proxy = journal.proxy();
    }

    private TestStore node() {
        return journal.node().build();
    }

    @Test
    void answerOfAPutLost_isAcknowledgedOnce() {
        TestStore store = node();
        store.append(ID, 1, 1);
        proxy.on(RequestMatch.operation("PutItem").times(1), Fault.resetAfter());
        assertThat(store.append(ID, 2, 2)).isInstanceOf(AppendResult.Stored.class);
        store.append(ID, 3, 3);
        assertThat(node().recoveredNumbers(ID)).isEqualTo(numbers(1, 3));
    }

    @Test
    void answerOfATransactionLost_isAcknowledgedOnce() {
        TestStore store = node();
        proxy.on(RequestMatch.operation("TransactWriteItems").times(1), Fault.resetAfter());
        assertThat(store.append(ID, 1, 10)).isInstanceOf(AppendResult.Stored.class);
        assertThat(node().recoveredNumbers(ID)).isEqualTo(numbers(1, 10));
    }

    @Test
    void answersOfALargeAtomicWriteLost_isAcknowledgedOnce() {
        TestStore store = node();
        proxy.on(RequestMatch.operation("TransactWriteItems").times(3), Fault.resetAfter());
        assertThat(store.append(ID, 1, 250)).isInstanceOf(AppendResult.Stored.class);
        assertThat(node().recoveredNumbers(ID)).isEqualTo(numbers(1, 250));
    }

    @Test
    void answerOfAMarkedBatchLostOrHalfProcessed_isAcknowledgedOnce() {
        TestStore store = journal.node().marked().build();
        proxy.on(RequestMatch.operation("BatchWriteItem").times(1), Fault.resetAfter());
        proxy.on(RequestMatch.operation("BatchWriteItem").times(2), Fault.unprocessed(3));
        assertThat(store.append(ID, 1, 60)).isInstanceOf(AppendResult.Stored.class);
        assertThat(node().recoveredNumbers(ID)).isEqualTo(numbers(1, 60));
    }

    @Test
    void throttledForLongerThanTheBudget_failsAndNothingIsStoredLater() {
        TestStore store =
                journal.node().operationTimeout(Duration.ofMillis(1500)).build();
        store.append(ID, 1, 1);
        var rule = proxy.on(
                RequestMatch.operation("PutItem"), Fault.throttle(ThrottleCode.PROVISIONED_THROUGHPUT_EXCEEDED));
        assertThatThrownBy(() -> store.append(ID, 2, 2)).isInstanceOf(ThrottledException.class);
        int tries = rule.hits();
        proxy.clear();
        assertThat(node().recoveredNumbers(ID)).containsExactly(1L);
        assertThat(rule.hits()).as("nobody goes on trying").isEqualTo(tries);
        store.highest(ID);
        store.append(ID, 2, 2);
        assertThat(node().recoveredNumbers(ID)).isEqualTo(numbers(1, 2));
    }

    @Test
    void putThatArrivesAfterItsBudget_cannotOverwriteTheNextWriter() {
        TestStore slow =
                journal.node().operationTimeout(Duration.ofMillis(1500)).build();
        slow.append(ID, 1, 1);
        var gate = proxy.hold(RequestMatch.operation("PutItem").times(1));
        assertThatThrownBy(() -> slow.append(ID, 2, 2)).isInstanceOf(StoreException.class);
        gate.awaitArrival();
        TestStore next = node();
        assertThat(next.recoveredNumbers(ID)).containsExactly(1L);
        TestStore.await(next.appendAsync(ID, new AppendRequest(ID, List.of(next.event(2, "the next writer's")))));
        gate.releaseAll();
        assertThat(next.append(ID, 3, 3)).isInstanceOf(AppendResult.Stored.class);
        assertThat(node().recover(ID).stream().map(TestStore::text))
                .containsExactly("event-1", "the next writer's", "event-3");
    }

    @Test
    void writesThatAreMadeAfterTheBudget_areNeverSent() {
        TestStore store =
                journal.node().operationTimeout(Duration.ofMillis(1500)).build();
        store.highest(ID);
        CompletableFuture<List<AppendRequest>> slowSerializer = new CompletableFuture<>();
        CompletableFuture<?> writing = store.append(ID, slowSerializer).toCompletableFuture();
        assertThatThrownBy(() -> TestStore.await(writing))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("The events of 'cart|1' were not serialized within operation-timeout");
        proxy.requests().clear();
        slowSerializer.complete(List.of(store.write(ID, 1, 1)));
        assertThat(store.highest(ID)).as("and the entity is not blocked").isZero();
        assertThat(proxy.requests().operations()).doesNotContain("PutItem");
    }

    @Test
    void budgetSpentBeforeTheRequest_nothingIsSent() {
        TestStore store = node();
        store.highest(ID);
        proxy.requests().clear();
        GatewaySettings settings = new GatewaySettings(
                Duration.ofNanos(1),
                Duration.ofSeconds(1),
                new Backoff(Duration.ofMillis(1), Duration.ofMillis(2), 0),
                1,
                Optional.empty());
        Gateway gateway = new Gateway(journal.client(), settings, StoreObserver.NONE, Runnable::run);
        Budget spent = gateway.budget();
        assertThatThrownBy(() -> TestStore.await(gateway.putItem(
                        PutItemRequest.builder()
                                .tableName(journal.table())
                                .item(Map.of())
                                .build(),
                        spent)))
                .isInstanceOfSatisfying(
                        StoreException.class,
                        e -> assertThat(e.mayHaveTakenEffect()).isFalse())
                .hasMessageContaining("its time was spent before it could be sent");
        assertThat(proxy.requests().requests()).isEmpty();
    }

    @Test
    void recovery_waitsForTheEntitysWriteUnderWay() {
        TestStore store = node();
        store.append(ID, 1, 1);
        var gate = proxy.hold(RequestMatch.operation("PutItem").times(1));
        CompletableFuture<?> writing =
                store.appendAsync(ID, store.write(ID, 2, 2)).toCompletableFuture();
        gate.awaitArrival();
        proxy.requests().clear();
        CompletableFuture<Long> highest =
                store.store().highestSequenceNumber(ID, 0).toCompletableFuture();
        // What was asked for later has been answered: had the recovery not waited, its requests would be here, too.
        store.highest("another");
        assertThat(proxy.requests().requests())
                .flatExtracting(r -> r.partitionKeys())
                .isNotEmpty()
                .noneMatch(key -> key.contains(ID));
        assertThat(highest).isNotDone();
        gate.releaseAll();
        writing.join();
        assertThat(highest.join()).isEqualTo(2);
    }
}
