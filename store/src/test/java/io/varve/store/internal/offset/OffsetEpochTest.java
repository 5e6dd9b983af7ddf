package io.varve.store.internal.offset;

import static io.varve.store.internal.journal.TestStore.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.OffsetWasSetException;
import io.varve.store.StoreException;
import io.varve.store.VarveException;
import io.varve.store.internal.client.WriteResult;
import io.varve.store.internal.journal.TestStore;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** What an instance still writes that was cut off before somebody has set the offset, and what older versions write. */
@DynamoDBTest
class OffsetEpochTest {
    private static final SliceOffset SET = new SliceOffset(100, Map.of(), 100);

    private final DynamoDbAsyncClient client;
    private final String table;
    private final List<String> ids = TestOffsets.ofSlice(5, 4);
    private final OffsetTable offsets;

    OffsetEpochTest(DynamoDbAsyncClient client, TableNames names) {
        this.client = client;
        this.table = names.offsets();
        this.offsets = TestOffsets.of(client, table, "p");
    }

    @BeforeEach
    void create() {
        TestOffsets.create(client, table);
    }

    private SetOffsets sets() {
        return await(offsets.read(5, 6)).sets();
    }

    private SliceOffset place() {
        return await(offsets.read(5, 5)).places().getOrDefault(5, SliceOffset.BEGINNING);
    }

    private static Advance advance(String id, long number, long timestamp) {
        return Advance.of(new LastProcessed(id, number, timestamp));
    }

    private boolean isApplied(SetOffsets as, Advance advance) {
        return await(offsets.transact(List.of(), List.of(advance), as)) instanceof WriteResult.Applied;
    }

    private Map<String, LastProcessed> processed() {
        return await(offsets.lastProcessed(ids, sets()));
    }

    /** Puts a row as a version does that knows no epochs. */
    private void putAsOlder(String row, Map<String, Long> numbers) {
        Map<String, AttributeValue> item =
                new HashMap<>(Map.of("name_slice", AttributeValue.fromS("p-5"), "pid", AttributeValue.fromS(row)));
        numbers.forEach((name, number) -> item.put(name, AttributeValue.fromN(Long.toString(number))));
        client.putItem(put -> put.tableName(table).item(item)).join();
    }

    /** Removes rows as a version does that clears slice 5 and knows no other rows. */
    private void clearAsOlder() {
        TestOffsets.rows(client, table).keySet().stream()
                .filter(row -> row.startsWith("p-5 ") && !row.endsWith("_mgmt"))
                .forEach(row -> client.deleteItem(delete -> delete.tableName(table)
                                .key(Map.of(
                                        "name_slice", AttributeValue.fromS("p-5"),
                                        "pid", AttributeValue.fromS(row.substring(4)))))
                        .join());
    }

    @Test
    void transactionThatLandsAfterARewind_failsWhereItWouldBringBackWhatWasForgotten() {
        assertThat(isApplied(SetOffsets.NONE, advance(ids.get(0), 3, 150))).isTrue();
        await(offsets.set(Map.of(5, SET)));
        assertThat(isApplied(SetOffsets.NONE, advance(ids.get(0), 4, 160))).isFalse();
        assertThat(processed()).isEmpty();
        assertThat(isApplied(sets(), advance(ids.get(0), 3, 150))).isTrue();
        assertThat(isApplied(SetOffsets.NONE, advance(ids.get(0), 4, 160))).isFalse();
        assertThat(processed()).containsExactly(Map.entry(ids.get(0), new LastProcessed(ids.get(0), 3, 150)));
    }

    @Test
    void transactionThatPassesOverEvents_failsIfTheOffsetWasSetAgain_alsoWhereThereIsNoRow() {
        await(offsets.set(Map.of(5, SET)));
        SetOffsets before = sets();
        LastProcessed third = new LastProcessed(ids.get(0), 3, 150);
        LastProcessed fourth = new LastProcessed(ids.get(1), 4, 160);
        assertThat(isApplied(before, new Advance(third, third, 150, true))).isTrue();
        await(offsets.set(Map.of(5, new SliceOffset(50, Map.of(), 50))));
        assertThatThrownBy(() -> isApplied(before, new Advance(fourth, fourth, 160, true)))
                .isInstanceOf(OffsetWasSetException.class)
                .hasMessageContaining("in slice 5");
        await(offsets.raise(List.of(fourth), before));
        assertThat(processed()).isEmpty();
        assertThat(isApplied(sets(), new Advance(fourth, fourth, 160, true))).isTrue();
        await(offsets.raise(List.of(third), sets()));
        assertThat(processed()).containsOnlyKeys(ids.get(0), ids.get(1));
    }

    /** Found by the simulation: the rewind was sent again, and what was processed after it was processed once more. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void requestOfARewind_thatArrivesWhenItIsOver_undoesNothing(boolean exactlyOnce) {
        assertThat(isApplied(SetOffsets.NONE, advance(ids.get(0), 3, 150))).isTrue();
        try (FaultProxy proxy = FaultProxy.start(DynamoDBLocal.shared().endpoint());
                DynamoDbAsyncClient slow = proxy.client()) {
            Semaphore arrived = new Semaphore(0);
            Gate late = proxy.hold(
                    RequestMatch.operation("PutItem", "BatchWriteItem")
                            .where(request -> request.body().toString().contains(ids.get(0))),
                    Fault.runAfter(request -> arrived.release()));
            OffsetTable given = new OffsetTable(
                    TestStore.on(slow, table)
                            .operationTimeout(Duration.ofMillis(1500))
                            .gateway(),
                    table,
                    "p",
                    OffsetSettings.DEFAULT,
                    InstantSource.system());
            assertThatThrownBy(() -> await(given.set(Map.of(5, SET)))).isInstanceOf(StoreException.class);
            late.awaitArrival();
            await(offsets.set(Map.of(5, SET)));
            LastProcessed last = new LastProcessed(ids.get(0), 3, 150);
            if (exactlyOnce) {
                assertThat(isApplied(sets(), advance(ids.get(0), 3, 150))).isTrue();
            } else {
                await(offsets.save(List.of(last), sets()));
            }
            late.releaseAll();
            arrived.acquireUninterruptibly(late.arrivals());
            assertThat(processed()).containsExactly(Map.entry(ids.get(0), last));
        }
    }

    @Test
    void twoWhoSetTheOffsetAtOnce_theLaterOneHolds_andTheOtherHearsOfIt() {
        try (FaultProxy proxy = FaultProxy.start(DynamoDBLocal.shared().endpoint());
                DynamoDbAsyncClient slow = proxy.client()) {
            Gate sets = proxy.hold(RequestMatch.operation("PutItem").times(1));
            CompletableFuture<Void> earlier = TestOffsets.of(slow, table, "p")
                    .set(Map.of(5, new SliceOffset(200, Map.of(), 200)))
                    .toCompletableFuture();
            sets.awaitArrival();
            await(offsets.set(Map.of(5, SET)));
            sets.releaseAll();
            assertThatThrownBy(earlier::join)
                    .hasMessageContaining(
                            "The offset of slice 5 of projection 'p' was set by somebody else at the same time");
            assertThat(sets().bySlice().get(5)).extracting(SetOffset::timestamp).isEqualTo(100L);
        }
    }

    @Test
    void transactionThatLandsAfterARewind_ofAnEntityThatHasNothingToForget_counts() {
        assertThat(isApplied(SetOffsets.NONE, advance(ids.get(0), 2, 50))).isTrue();
        await(offsets.set(Map.of(5, SET)));
        assertThat(isApplied(SetOffsets.NONE, advance(ids.get(0), 3, 160))).isTrue();
        assertThat(isApplied(SetOffsets.NONE, advance(ids.get(1), 1, 170))).isTrue();
        assertThat(processed()).containsOnlyKeys(ids.get(0), ids.get(1));
        assertThat(isApplied(sets(), advance(ids.get(0), 3, 160))).as("twice").isFalse();
    }

    @Test
    void transactionThatLandsAfterAClear_fails_alsoAfterTwo() {
        assertThat(isApplied(SetOffsets.NONE, advance(ids.get(0), 3, 150))).isTrue();
        await(offsets.clear(5, 5));
        SetOffsets between = sets();
        await(offsets.clear(5, 5));
        assertThat(isApplied(SetOffsets.NONE, advance(ids.get(0), 4, 160))).isFalse();
        assertThat(isApplied(between, advance(ids.get(0), 4, 160))).isFalse();
        assertThat(isApplied(sets(), advance(ids.get(0), 1, 10))).isTrue();
    }

    @Test
    void epochs_increaseAlsoIfTheClockDoesNot() {
        OffsetTable slow = new OffsetTable(
                TestStore.on(client, table).gateway(),
                table,
                "p",
                OffsetSettings.DEFAULT,
                () -> Instant.ofEpochSecond(1));
        await(offsets.clear(5, 6));
        long first = sets().of(6).epoch();
        await(slow.set(Map.of(6, SET)));
        assertThat(sets().of(6).epoch()).isEqualTo(first + 1);
        assertThat(sets().of(5).epoch()).isEqualTo(first);
    }

    @Test
    void rowsThatAreSavedAfterARewind_doNotCount() {
        await(offsets.save(List.of(new LastProcessed(ids.get(0), 3, 150)), SetOffsets.NONE));
        await(offsets.set(Map.of(5, SET)));
        await(offsets.save(
                List.of(new LastProcessed(ids.get(0), 4, 160), new LastProcessed(ids.get(1), 1, 99)), SetOffsets.NONE));
        assertThat(processed()).containsOnlyKeys(ids.get(1));
        await(offsets.save(List.of(new LastProcessed(ids.get(0), 3, 150)), sets()));
        assertThat(processed()).containsOnlyKeys(ids.get(0), ids.get(1));
    }

    @Test
    void rowsOfDroppedEvents_thatAreRaisedAfterARewind_doNotCount_whereTheOthersAreSaved() {
        await(offsets.save(List.of(new LastProcessed(ids.get(0), 3, 150)), SetOffsets.NONE));
        await(offsets.set(Map.of(5, SET)));
        await(offsets.save(
                List.of(new LastProcessed(ids.get(0), 3, 150), new LastProcessed(ids.get(1), 1, 150)),
                SetOffsets.NONE)); // replaces what the rewind has left of the first one
        await(offsets.raiseSaved(
                ids.stream().map(id -> new LastProcessed(id, 4, 160)).toList(), SetOffsets.NONE));
        assertThat(processed()).isEmpty();
        await(offsets.raiseSaved(List.of(new LastProcessed(ids.get(3), 5, 170)), sets()));
        assertThat(processed()).containsOnlyKeys(ids.get(3));
    }

    @Test
    void rowsOfDroppedEvents_thatAreRaisedAfterARewind_count_whereTheOthersAreInTransactions() {
        await(offsets.set(Map.of(5, SET)));
        assertThat(isApplied(SetOffsets.NONE, advance(ids.get(0), 3, 150))).isTrue();
        await(offsets.raise(List.of(new LastProcessed(ids.get(0), 4, 160)), SetOffsets.NONE));
        assertThat(processed()).containsExactly(Map.entry(ids.get(0), new LastProcessed(ids.get(0), 4, 160)));
    }

    @Test
    void whatTheSetOffsetHasSeen_staysProcessed_whateverIsSavedOrExpires() {
        await(offsets.set(Map.of(5, new SliceOffset(100, Map.of(ids.get(0), 4L), 100))));
        assertThat(isApplied(SetOffsets.NONE, advance(ids.get(0), 5, 160))).isFalse();
        LastProcessed seen = new LastProcessed(ids.get(0), 4, 100);
        assertThat(processed()).containsExactly(Map.entry(ids.get(0), seen));
        await(offsets.save(List.of(new LastProcessed(ids.get(0), 5, 160)), SetOffsets.NONE));
        assertThat(processed()).containsExactly(Map.entry(ids.get(0), seen));
        clearEntities();
        assertThat(processed()).containsExactly(Map.entry(ids.get(0), seen));
    }

    private void clearEntities() {
        ids.forEach(id -> client.deleteItem(delete -> delete.tableName(table)
                        .key(Map.of("name_slice", AttributeValue.fromS("p-5"), "pid", AttributeValue.fromS(id))))
                .join());
    }

    @Test
    void placesThatAreStoredAfterARewind_doNotCount() {
        await(offsets.save(Map.of(5, new SliceOffset(150, Map.of(), 0)), SetOffsets.NONE));
        SliceOffset set = new SliceOffset(100, Map.of(ids.get(0), 4L), 100);
        await(offsets.set(Map.of(5, set)));
        await(offsets.save(Map.of(5, new SliceOffset(160, Map.of(), 0)), SetOffsets.NONE));
        assertThat(place()).isEqualTo(set);
        await(offsets.save(Map.of(5, new SliceOffset(110, Map.of(), 100)), sets()));
        assertThat(place()).isEqualTo(new SliceOffset(110, Map.of(), 100));
        await(offsets.clear(5, 5));
        await(offsets.save(Map.of(5, new SliceOffset(170, Map.of(), 100)), SetOffsets.NONE));
        assertThat(place().isBeginning()).isTrue();
    }

    @Test
    void olderVersionThatGoesOn_isBelieved_oneThatWasCutOffIsNot() {
        await(offsets.set(Map.of(5, SET)));
        putAsOlder("_", Map.of("ts", 300L));
        assertThat(place()).as("from before").isEqualTo(SET);
        putAsOlder("_", Map.of("ts", 300L, "set_ts", 100L));
        assertThat(place()).isEqualTo(new SliceOffset(300, Map.of(), 100));
        putAsOlder("_", Map.of("ts", 500L, "set_ts", 500L));
        assertThat(place()).as("it has set it forward").isEqualTo(new SliceOffset(500, Map.of(), 500));
        putAsOlder(ids.get(0), Map.of("seq_nr", 7L, "ts", 400L));
        assertThat(processed()).containsOnlyKeys(ids.get(0));
    }

    @Test
    void olderVersionThatClears_isBelieved_andStopsNobody() {
        await(offsets.set(Map.of(5, SET, 6, SET)));
        SetOffsets before = sets();
        assertThat(isApplied(before, advance(ids.get(0), 3, 150))).isTrue();
        clearAsOlder();
        assertThat(place().isBeginning()).isTrue();
        assertThat(sets().of(5)).isEqualTo(SetOffset.NONE);
        assertThat(await(offsets.read(6, 6)).places()).containsOnlyKeys(6);
        String other = TestOffsets.ofSlice(6, 1).get(0);
        assertThat(isApplied(sets(), advance(other, 1, 150))).isTrue();
        assertThat(isApplied(before, advance(ids.get(0), 4, 160))).as("cut off").isTrue();
        assertThatThrownBy(this::processed)
                .as("an epoch that nobody knows any more")
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("The offset of projection 'p' was set by hand after this instance had started");
        assertThat(processed()).as("after a restart").containsOnlyKeys(ids.get(0));
        assertThat(isApplied(sets(), advance(ids.get(0), 5, 170))).isTrue();
    }

    @Test
    void instanceThatWasCutOff_isToldWhenItReads() {
        await(offsets.set(Map.of(5, new SliceOffset(100, Map.of(ids.get(0), 4L), 100))));
        assertThatThrownBy(() -> await(offsets.lastProcessed(ids, SetOffsets.NONE)))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("in slice 5 at least");
        assertThatThrownBy(() -> await(offsets.lastStored(ids, SetOffsets.NONE)))
                .isInstanceOf(VarveException.class);
        assertThat(await(offsets.lastProcessed(TestOffsets.ofSlice(6, 1), SetOffsets.NONE)))
                .isEmpty();
    }

    @Test
    void raise_passesOnlyWhereLessIsStored_andLeavesTheOthers() {
        assertThat(isApplied(SetOffsets.NONE, advance(ids.get(0), 3, 30))).isTrue();
        assertThat(isApplied(SetOffsets.NONE, advance(ids.get(1), 5, 50))).isTrue();
        await(offsets.raise(
                List.of(
                        new LastProcessed(ids.get(0), 4, 40),
                        new LastProcessed(ids.get(1), 4, 40),
                        new LastProcessed(ids.get(2), 4, 40)),
                SetOffsets.NONE));
        assertThat(processed())
                .isEqualTo(Map.of(
                        ids.get(0), new LastProcessed(ids.get(0), 4, 40),
                        ids.get(1), new LastProcessed(ids.get(1), 5, 50),
                        ids.get(2), new LastProcessed(ids.get(2), 4, 40)));
    }
}
