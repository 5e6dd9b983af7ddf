package io.varve.store.internal.snapshot;

import static io.varve.store.internal.snapshot.TestSnapshotStore.LARGE;
import static io.varve.store.internal.snapshot.TestSnapshotStore.between;
import static io.varve.store.internal.snapshot.TestSnapshotStore.snapshot;
import static io.varve.store.internal.snapshot.TestSnapshotStore.upTo;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.StoreException;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Requests that were given up and sent again, or whose operation has failed, and that arrive after later operations. */
@ExtendWith(SnapshotFixture.Extension.class)
class SnapshotLateTest {
    private static final String ID = "cart|1";
    private static final String HEADS = TestSnapshotStore.KEYS.partition(ID);
    private static final String LIST = TestSnapshotStore.KEYS.partListPartition(ID);

    private final FaultProxy proxy;
    private final DynamoDbAsyncClient client;
    private final DynamoDbAsyncClient direct;
    private final String table;

    SnapshotLateTest(SnapshotFixture snapshots) {
        this.proxy = snapshots.proxy();
        this.client = snapshots.client();
        this.direct = snapshots.direct();
        this.table = snapshots.table();
    }

    /** A node that soon gives up a request and sends it again. */
    private TestSnapshotStore impatient() {
        return TestSnapshotStore.on(client, table)
                .smallItems()
                .requestTimeout(Duration.ofSeconds(1))
                .build();
    }

    /** A node whose operations fail when a request of theirs is not answered soon. */
    private TestSnapshotStore failing() {
        return TestSnapshotStore.on(client, table)
                .smallItems()
                .operationTimeout(Duration.ofSeconds(1))
                .build();
    }

    private TestSnapshotStore other() {
        return TestSnapshotStore.on(direct, table).smallItems().build();
    }

    private TestSnapshotStore later() {
        return TestSnapshotStore.on(direct, table).smallItems().later().build();
    }

    private Late late(RequestMatch match) {
        return Late.on(proxy, match.times(1));
    }

    private List<Map<String, AttributeValue>> stored() {
        return TestSnapshotStore.scan(direct, table);
    }

    private Snapshot savedNow(long sequenceNumber, int size) {
        return snapshot(ID, sequenceNumber, Instant.ofEpochMilli(Instant.now().toEpochMilli()), size);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 5})
    void part_thatArrivesAfterItsSnapshotWasDeleted_isRemovedByTheNextCleanUp(int part) {
        Late late = late(RequestMatch.operation("PutItem").keyPrefix(LIST).skip(part));
        TestSnapshotStore node = impatient();
        node.save(snapshot(ID, 1, LARGE));
        late.awaitHeld();
        node.delete(ID, 1);
        assertThat(stored())
                .as("only the entry is kept, until no part can come")
                .hasSize(1);
        late.arrive();
        assertThat(stored()).as("the entry, and the part that was late").hasSize(2);
        assertThat(node.load(ID)).isEmpty();
        later().delete(ID, 77);
        assertThat(stored()).isEmpty();
    }

    @Test
    void part_thatArrivesWhileItsSnapshotIsThere_changesNothing() {
        Late late = late(RequestMatch.operation("PutItem").keyPrefix(LIST).skip(2));
        impatient().save(snapshot(ID, 1, LARGE));
        late.arrive();
        assertThat(other().load(ID)).contains(snapshot(ID, 1, LARGE));
        later().delete(ID, 77);
        TestSnapshotStore.assertNothingIsOrphaned(direct, table, ID);
    }

    @Test
    void part_ofASaveThatFailed_isRemovedByTheNextCleanUp() {
        Late late = late(RequestMatch.operation("PutItem").keyPrefix(LIST).skip(2));
        assertThatThrownBy(() -> failing().save(snapshot(ID, 1, LARGE))).isInstanceOf(StoreException.class);
        other().delete(ID, 1);
        late.arrive();
        assertThat(other().load(ID)).isEmpty();
        later().delete(ID, 77);
        assertThat(stored()).isEmpty();
    }

    @Test
    void entry_thatArrivesAfterItsSnapshotWasDeleted_bringsNothingBack() {
        Late late = late(RequestMatch.operation("PutItem").key(LIST));
        TestSnapshotStore node = impatient();
        node.save(snapshot(ID, 1, LARGE));
        node.delete(ID, 1);
        late.arrive();
        assertThat(node.load(ID)).isEmpty();
        later().delete(ID, 77);
        assertThat(stored()).isEmpty();
    }

    @Test
    void entry_thatArrivesAfterItWasDoomed_staysDoomed() {
        Late late = late(RequestMatch.operation("PutItem").key(LIST));
        Gate head = proxy.hold(RequestMatch.operation("TransactWriteItems"));
        CompletableFuture<Void> saving =
                impatient().store().save(snapshot(ID, 1, LARGE)).toCompletableFuture();
        head.awaitArrival();
        other().delete(ID, 77);
        late.arrive();
        head.releaseAll();
        assertThatThrownBy(() -> TestSnapshotStore.await(saving)).hasMessageContaining("cleaned up its parts");
        assertThat(other().load(ID)).isEmpty();
        later().delete(ID, 77);
        assertThat(stored()).isEmpty();
    }

    @Test
    void head_ofASaveThatFailed_doesNotComeAfterADelete() {
        Late late = late(RequestMatch.operation("TransactWriteItems"));
        assertThatThrownBy(() -> failing().save(snapshot(ID, 1, LARGE))).isInstanceOf(StoreException.class);
        other().delete(ID, 1);
        late.arrive();
        assertThat(other().load(ID)).isEmpty();
        later().delete(ID, 77);
        assertThat(stored()).isEmpty();
    }

    /** The delete has found no head, and then the list with the entry of its parts. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void head_ofASaveThatFailed_thatArrivesDuringADelete_isDeleted(boolean byCriteria) {
        Late late = late(RequestMatch.operation("TransactWriteItems"));
        assertThatThrownBy(() -> failing().save(snapshot(ID, 1, LARGE))).isInstanceOf(StoreException.class);
        late.awaitHeld();
        try (FaultProxy deleters = FaultProxy.start(DynamoDBLocal.shared().endpoint());
                DynamoDbAsyncClient deletersClient = deleters.client()) {
            TestSnapshotStore deleter =
                    TestSnapshotStore.on(deletersClient, table).smallItems().build();
            deleters.on(
                    RequestMatch.operation("Query").skip(byCriteria ? 1 : 0).times(1),
                    Fault.runBefore(request -> late.arrive()));
            if (byCriteria) {
                deleter.delete(ID, new Criteria(0, 5, Instant.EPOCH, Instant.ofEpochMilli(Long.MAX_VALUE)));
            } else {
                deleter.delete(ID, 1);
            }
        }
        assertThat(other().load(ID)).isEmpty();
        later().delete(ID, 77);
        assertThat(stored()).isEmpty();
    }

    @Test
    void head_ofASaveThatFailed_comesWithAllItsPartsIfNothingElseHappened() {
        Late late = late(RequestMatch.operation("TransactWriteItems"));
        assertThatThrownBy(() -> failing().save(snapshot(ID, 1, LARGE))).isInstanceOf(StoreException.class);
        assertThat(other().load(ID)).isEmpty();
        late.arrive();
        assertThat(other().load(ID)).contains(snapshot(ID, 1, LARGE));
        later().delete(ID, 77);
        TestSnapshotStore.assertNothingIsOrphaned(direct, table, ID);
    }

    @Test
    void head_thatWasSentAgain_doesNotComeAfterADelete() {
        Late late = late(RequestMatch.operation("TransactWriteItems"));
        TestSnapshotStore node = impatient();
        node.save(snapshot(ID, 1, LARGE));
        node.delete(ID, 1);
        late.arrive();
        assertThat(other().load(ID)).isEmpty();
        later().delete(ID, 77);
        assertThat(stored()).isEmpty();
    }

    @Test
    void head_thatWasSentAgain_doesNotReplaceALaterOneOfTheSameNumber() {
        Late late = late(RequestMatch.operation("TransactWriteItems"));
        TestSnapshotStore node = impatient();
        node.save(snapshot(ID, 1, LARGE));
        node.save(snapshot(ID, 1, LARGE + 1));
        late.arrive();
        assertThat(other().load(ID)).contains(snapshot(ID, 1, LARGE + 1));
        later().delete(ID, 77);
        TestSnapshotStore.assertNothingIsOrphaned(direct, table, ID);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void deleteOfASnapshotInParts_thatArrivesAfterItWasSavedAgain_leavesTheNewOne(int request) {
        other().save(snapshot(ID, 1, LARGE));
        Late late = late(RequestMatch.operation("DeleteItem").key(HEADS).skip(request));
        impatient().delete(ID, 1);
        other().save(snapshot(ID, 1, LARGE + 1));
        late.arrive();
        assertThat(other().load(ID)).contains(snapshot(ID, 1, LARGE + 1));
        later().delete(ID, 77);
        TestSnapshotStore.assertNothingIsOrphaned(direct, table, ID);
    }

    @Test
    void deleteOfASnapshotInOneItem_thatArrivesAfterItWasSavedAgain_leavesTheNewOne() {
        other().save(savedNow(1, 10));
        Late late = late(RequestMatch.operation("DeleteItem").key(HEADS));
        impatient().delete(ID, 1);
        Snapshot again = savedNow(1, 20);
        other().save(again);
        late.arrive();
        assertThat(other().load(ID, between(0, 9, 0, Long.MAX_VALUE / 1000))).contains(again);
    }

    @ParameterizedTest
    @ValueSource(ints = {10, LARGE})
    void deleteByCriteria_thatArrivesAfterASnapshotWasSavedAgain_leavesTheNewOne(int size) {
        other().save(snapshot(ID, 1, Instant.ofEpochMilli(1), size));
        Late late = late(RequestMatch.operation("DeleteItem").key(HEADS));
        impatient().delete(ID, upTo(5));
        Snapshot again = snapshot(ID, 1, Instant.ofEpochMilli(2), size);
        other().save(again);
        late.arrive();
        assertThat(other().load(ID)).contains(again);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TransactWriteItems", "BatchWriteItem"})
    void cleanUp_whoseRequestsArriveAfterALaterSave_leavesThatSave(String operation) {
        other().save(snapshot(ID, 1, LARGE));
        Late late = late(RequestMatch.operation(operation));
        impatient().delete(ID, 1);
        other().save(snapshot(ID, 1, LARGE + 1));
        late.arrive();
        assertThat(other().load(ID)).contains(snapshot(ID, 1, LARGE + 1));
        later().delete(ID, 77);
        TestSnapshotStore.assertNothingIsOrphaned(direct, table, ID);
    }

    @Test
    void delete_ofASnapshotFromTheFuture_isDone() {
        other().save(snapshot(ID, 1, Instant.now().plusSeconds(3600), 10));
        other().delete(ID, 1);
        assertThat(stored()).isEmpty();
    }

    /** The exception that the documentation names: nothing is there that could stop it, and a mark for it would cost a write. */
    @Test
    void snapshotInOneItem_whosePutArrivesAfterItsDelete_isBack() {
        Late late = late(RequestMatch.operation("PutItem"));
        TestSnapshotStore node = impatient();
        node.save(snapshot(ID, 1, 10));
        node.delete(ID, 1);
        assertThat(node.load(ID)).isEmpty();
        late.arrive();
        assertThat(node.load(ID)).contains(snapshot(ID, 1, 10));
    }
}
