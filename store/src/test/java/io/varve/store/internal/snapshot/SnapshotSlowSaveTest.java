package io.varve.store.internal.snapshot;

import static io.varve.store.internal.snapshot.TestSnapshotStore.LARGE;
import static io.varve.store.internal.snapshot.TestSnapshotStore.snapshot;
import static io.varve.store.internal.snapshot.TestSnapshotStore.upTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.VarveException;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** A save in parts that is merely slow, while the entity's parts are cleaned up: exactly one of the two wins. */
@ExtendWith(SnapshotFixture.Extension.class)
class SnapshotSlowSaveTest {
    private static final String ID = "cart|1";

    private final FaultProxy proxy;
    private final DynamoDbAsyncClient client;
    private final DynamoDbAsyncClient direct;
    private final String table;

    SnapshotSlowSaveTest(SnapshotFixture snapshots) {
        this.proxy = snapshots.proxy();
        this.client = snapshots.client();
        this.direct = snapshots.direct();
        this.table = snapshots.table();
    }

    private TestSnapshotStore slow() {
        return TestSnapshotStore.on(client, table)
                .smallItems()
                .oneAfterAnother()
                .build();
    }

    private TestSnapshotStore other() {
        return TestSnapshotStore.on(direct, table).smallItems().build();
    }

    private CompletableFuture<Void> saving(TestSnapshotStore store, long sequenceNumber) {
        return store.store().save(snapshot(ID, sequenceNumber, LARGE)).toCompletableFuture();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 5})
    void cleanUpByAnotherNode_whileAPartIsUnderWay_winsAndNothingOfTheSaveIsLeft(int partsBefore) {
        other().save(snapshot(ID, 1, LARGE));
        Gate gate =
                proxy.hold(RequestMatch.operation("PutItem").skip(partsBefore).times(1));
        CompletableFuture<Void> saving = saving(slow(), 2);
        gate.awaitArrival();
        other().delete(ID, 77);
        gate.releaseAll();
        assertThatThrownBy(() -> TestSnapshotStore.await(saving))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("snapshot 2 of 'cart|1'")
                .hasMessageContaining("cleaned up its parts");
        assertThat(other().load(ID)).contains(snapshot(ID, 1, LARGE));
        TestSnapshotStore.assertNothingIsOrphaned(direct, table, ID);
    }

    @Test
    void cleanUpByAnotherNode_beforeTheHeadIsWritten_winsAndTheOlderSnapshotStays() {
        other().save(snapshot(ID, 1, LARGE));
        Gate gate = proxy.hold(RequestMatch.operation("TransactWriteItems").times(1));
        CompletableFuture<Void> saving = saving(slow(), 2);
        gate.awaitArrival();
        other().save(snapshot(ID, 3, LARGE));
        gate.releaseAll();
        assertThatThrownBy(() -> TestSnapshotStore.await(saving)).hasMessageContaining("was not saved");
        assertThat(other().load(ID)).contains(snapshot(ID, 3, LARGE));
        assertThat(other().load(ID, upTo(2))).contains(snapshot(ID, 1, LARGE));
        TestSnapshotStore.assertNothingIsOrphaned(direct, table, ID);
    }

    @Test
    void saveThatWritesItsHeadFirst_winsAndTheCleanUpLeavesItsParts() {
        Gate saves = proxy.hold(RequestMatch.operation("TransactWriteItems").times(1));
        CompletableFuture<Void> saving = saving(slow(), 2);
        saves.awaitArrival();
        try (FaultProxy others =
                        FaultProxy.start(io.varve.testkit.DynamoDBLocal.shared().endpoint());
                DynamoDbAsyncClient theirs = others.client()) {
            Gate dooms =
                    others.hold(RequestMatch.operation("TransactWriteItems").times(1));
            CompletableFuture<Void> cleaning = TestSnapshotStore.on(theirs, table)
                    .smallItems()
                    .build()
                    .store()
                    .delete(ID, 77)
                    .toCompletableFuture();
            dooms.awaitArrival();
            saves.releaseAll();
            TestSnapshotStore.await(saving);
            dooms.releaseAll();
            TestSnapshotStore.await(cleaning);
        }
        assertThat(other().load(ID)).contains(snapshot(ID, 2, LARGE));
        TestSnapshotStore.assertNothingIsOrphaned(direct, table, ID);
    }

    @Test
    void cleanUpByTheSameNode_leavesItsOwnSavesUnderWay() {
        TestSnapshotStore store = slow();
        store.save(snapshot(ID, 1, LARGE));
        Gate gate = proxy.hold(RequestMatch.operation("TransactWriteItems").times(1));
        CompletableFuture<Void> saving = saving(store, 3);
        gate.awaitArrival();
        store.delete(ID, 1);
        store.save(snapshot(ID, 2, LARGE));
        gate.releaseAll();
        TestSnapshotStore.await(saving);
        assertThat(other().load(ID)).contains(snapshot(ID, 3, LARGE));
        assertThat(other().load(ID, upTo(2))).contains(snapshot(ID, 2, LARGE));
        TestSnapshotStore.assertNothingIsOrphaned(direct, table, ID);
    }

    @Test
    void twoCleanUpsAtOnce_areNoTrouble() {
        TestSnapshotStore store = other();
        store.save(snapshot(ID, 1, LARGE));
        store.save(snapshot(ID, 2, LARGE));
        Gate gate = proxy.hold(RequestMatch.operation("TransactWriteItems").times(1));
        CompletableFuture<Void> deleting = slow().store().delete(ID, 1).toCompletableFuture();
        gate.awaitArrival();
        store.delete(ID, 1);
        gate.releaseAll();
        TestSnapshotStore.await(deleting);
        assertThat(store.load(ID)).contains(snapshot(ID, 2, LARGE));
        TestSnapshotStore.assertNothingIsOrphaned(direct, table, ID);
    }

    @Test
    void load_whenItsSnapshotIsDeletedForANewerOneMeanwhile_findsTheNewerOne() {
        other().save(snapshot(ID, 1, LARGE));
        Gate gate = proxy.hold(RequestMatch.operation("BatchGetItem").times(1));
        CompletableFuture<Optional<Snapshot>> loading = slow().store()
                .load(ID, TestSnapshotStore.ALL, false, CompletableFuture::completedFuture)
                .toCompletableFuture();
        gate.awaitArrival();
        other().save(snapshot(ID, 2, LARGE));
        other().delete(ID, 1);
        gate.releaseAll();
        assertThat(loading.join()).map(Snapshot::sequenceNumber).contains(2L);
    }
}
