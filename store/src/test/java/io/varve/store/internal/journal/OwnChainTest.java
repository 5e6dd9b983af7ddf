package io.varve.store.internal.journal;

import static io.varve.store.internal.journal.StoredItems.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** A large atomic write that is under way: who looks at it half done must not take it for a dead node's. */
@DynamoDBTest
class OwnChainTest {
    private static final String ID = "cart|1";

    private final FaultProxy proxy;
    private final DynamoDbAsyncClient client;
    private final DynamoDbAsyncClient direct;
    private final String table;

    OwnChainTest(FaultProxy proxy, DynamoDbAsyncClient direct, TableNames names) {
        this.proxy = proxy;
        this.client = proxy.client();
        this.direct = direct;
        this.table = names.journal();
    }

    @BeforeEach
    void create() {
        TestStore.createTable(table);
    }

    @AfterEach
    void close() {
        client.close();
    }

    private TestStore node() {
        TestStore store = TestStore.on(client, table).build();
        store.append(ID, 1, 5);
        return store;
    }

    private Gate secondTransaction() {
        return proxy.hold(RequestMatch.operation("TransactWriteItems").skip(1).times(1));
    }

    private void assertWhole() {
        assertThat(TestStore.on(direct, table).build().recoveredNumbers(ID)).isEqualTo(numbers(1, 250));
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
        assertThat(TestStore.on(direct, table).build().recoveredNumbers(ID)).isEqualTo(numbers(4, 250));
    }

    @Test
    void deleteOfAnotherNode_doesNotGiveItUp() {
        TestStore store = node();
        Gate second = secondTransaction();
        CompletableFuture<?> writing =
                store.appendAsync(ID, store.write(ID, 6, 250)).toCompletableFuture();
        second.awaitArrival();
        TestStore.on(direct, table).build().delete(ID, Long.MAX_VALUE);
        second.releaseAll();
        TestStore.await(writing);
        assertThat(TestStore.on(direct, table).build().recoveredNumbers(ID)).isEqualTo(numbers(6, 250));
    }
}
