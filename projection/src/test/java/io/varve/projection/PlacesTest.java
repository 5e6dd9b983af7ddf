package io.varve.projection;

import static io.varve.projection.TestBench.await;
import static io.varve.projection.TestEvents.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigValueFactory;
import io.varve.projection.TestBench.How;
import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.projection.internal.pekko.PekkoRecovery;
import io.varve.projection.internal.progress.OffsetSaver;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.SliceOffset;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.apache.pekko.Done;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** That nothing is lost or done twice whatever is stored of other slices, and whoever writes late. */
class PlacesTest {
    private static final long MINUTE = 60_000_000;
    private static final Duration WINDOW = Duration.ofMinutes(2);

    private static TestBench bench;
    private static FaultProxy staleProxy;
    private static DynamoDbAsyncClient staleClient;

    private final String name = TestBench.freshName();
    private final TestBench.Notes notes = new TestBench.Notes();

    @BeforeAll
    static void start() {
        bench = new TestBench();
        staleProxy = FaultProxy.start(DynamoDBLocal.shared().endpoint());
        staleClient = staleProxy.client();
    }

    @AfterAll
    static void stop() {
        staleClient.close();
        staleProxy.close();
        bench.close();
    }

    @AfterEach
    void clear() {
        staleProxy.clear();
    }

    private static String entity(int slice) {
        return TestEvents.ofSlice(slice, 1).get(0);
    }

    /** Runs a stream whose handler fails at an entity. */
    private void runFailing(TestEvents events, String failing) {
        DeliveryModes<EventEnvelope<String>> handler = TestBench.transacting(
                event -> event.persistenceId().equals(failing)
                        ? CompletableFuture.failedFuture(new IllegalStateException("once"))
                        : CompletableFuture.completedFuture(bench.changes(name, List.of(event))),
                1);
        try (WarningsOf quiet = new WarningsOf(PekkoRecovery.class)) {
            assertThatThrownBy(() -> await(bench.run(name, events, handler, bench.table(name), How.plain())))
                    .hasMessageContaining("once");
        }
    }

    private void run(TestEvents events) {
        await(bench.run(name, events, bench.exactlyOnce(name, 1), bench.table(name), How.plain()));
    }

    private static List<EventEnvelope<String>> events(String id, long first, long last) {
        return LongStream.rangeClosed(first, last)
                .mapToObj(number -> event(id, number, 1_000 * MINUTE + number))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void lateEventThatIsTheFirstOfItsSlice_comesAgainAfterItsHandlerHasFailed(boolean shardsKnown) {
        String busy = entity(8);
        String late = entity(7);
        TestEvents events = new TestEvents(0, 15);
        if (shardsKnown) {
            events.withSlicesPerShard(16);
        }
        events.bring(List.of(
                event(busy, 1, MINUTE),
                event(busy, 2, 100 * MINUTE),
                event(late, 1, 95 * MINUTE),
                event(busy, 3, 101 * MINUTE)));
        runFailing(events, late);
        runFailing(events, late);
        run(events);
        assertThat(bench.applied(name, late)).containsExactly(1L);
        assertThat(bench.applied(name, busy)).containsExactly(1L, 2L, 3L);
    }

    private static String other(int slice) {
        return TestEvents.ofSlice(slice, 2).get(1);
    }

    /** An event of the second entity of each slice. */
    private static List<EventEnvelope<String>> late(List<Integer> slices) {
        return slices.stream().map(slice -> event(other(slice), 1, 91 * MINUTE)).toList();
    }

    private void assertApplied(List<Integer> slices) {
        for (int slice : slices) {
            assertThat(bench.applied(name, other(slice))).as("slice %s", slice).containsExactly(1L);
        }
    }

    @Test
    void lateEvents_behindOneWhoseHandlerFails_comeAgain() {
        List<Integer> slices = List.of(8, 9, 10, 11, 12, 13);
        TestEvents events = new TestEvents(0, 15).withWindow(WINDOW);
        slices.forEach(slice -> events.bring(List.of(event(entity(slice), 1, 100 * MINUTE))));
        events.bring(late(slices));
        runFailing(events, other(8));
        run(events);
        assertApplied(slices);
    }

    @Test
    void lateFirstEventsOfTheirSlices_behindOneWhoseHandlerFails_comeAgain() {
        List<Integer> busy = List.of(0, 2, 4, 6, 8, 10);
        List<Integer> quiet = List.of(1, 3, 5, 7, 9, 11);
        TestEvents events = new TestEvents(0, 15).withSlicesPerShard(2).withWindow(WINDOW);
        busy.forEach(slice -> events.bring(List.of(event(entity(slice), 1, MINUTE))));
        busy.forEach(slice -> events.bring(List.of(event(entity(slice), 2, 100 * MINUTE))));
        events.bring(late(quiet));
        runFailing(events, other(1));
        run(events);
        assertApplied(quiet);
    }

    /** More than are judged together: the last ones have not even been looked at when the handler fails. */
    @Test
    void manyLateEvents_behindOneWhoseHandlerFails_comeAgain() {
        List<String> many = TestEvents.ofSlice(8, 150);
        TestEvents events = new TestEvents(0, 15).withWindow(WINDOW);
        events.bring(List.of(event(entity(7), 1, 100 * MINUTE), event(entity(9), 1, 100 * MINUTE)));
        many.forEach(id -> events.bring(List.of(event(id, 1, 91 * MINUTE))));
        events.bring(late(List.of(7, 9)));
        runFailing(events, many.get(0));
        run(events);
        many.forEach(id -> assertThat(bench.applied(name, id)).containsExactly(1L));
        assertApplied(List.of(7, 9));
    }

    /** Brings a late event to a projection that has stored its place. */
    private CompletionStage<Done> runWithALateEvent(DeliveryModes<EventEnvelope<String>> mode) {
        run(new TestEvents(0, 15).withWindow(WINDOW).bring(List.of(event(entity(8), 1, 100 * MINUTE))));
        TestEvents found = new TestEvents(0, 15).withWindow(WINDOW).bringLate(late(List.of(8)));
        return bench.run(name, found, mode, bench.table(staleClient, name, Duration.ofSeconds(30)), How.plain());
    }

    private void assertLateEventComesAgain() {
        run(new TestEvents(0, 15)
                .withWindow(WINDOW)
                .bring(List.of(event(entity(8), 1, 100 * MINUTE)))
                .bring(late(List.of(8))));
        assertApplied(List.of(8));
    }

    @Test
    void lateEventUnderWay_whenTheNodeDies_comesAgain() {
        RequestMatch writes = RequestMatch.operation("TransactWriteItems", "BatchWriteItem");
        staleProxy.on(writes.skip(1), Fault.error(400, "ValidationException", "dead"));
        try (WarningsOf quiet = new WarningsOf(PekkoRecovery.class);
                WarningsOf quietToo = new WarningsOf(OffsetSaver.class)) {
            assertThatThrownBy(() -> await(runWithALateEvent(bench.exactlyOnce(name, 1))))
                    .hasMessageContaining("dead");
        }
        assertLateEventComesAgain();
    }

    @Test
    void lateEvent_reachesNoHandlerBeforeItsPlaceIsStored() {
        Gate gate = staleProxy.hold(RequestMatch.operation("BatchWriteItem").times(1));
        CompletionStage<Done> running = runWithALateEvent(notes.atLeastOnce());
        gate.awaitArrival();
        assertThat(notes.handled()).isEmpty();
        gate.release();
        await(running);
        assertThat(notes.handled()).containsExactly(other(8) + " 1");
    }

    @Test
    void lateEvent_whosePlaceCouldNotBeStored_comesAgainIfItCanBeAtTheEnd() {
        staleProxy.on(
                RequestMatch.operation("BatchWriteItem").times(1), Fault.error(400, "ValidationException", "once"));
        assertThatThrownBy(() -> await(runWithALateEvent(bench.exactlyOnce(name, 1))))
                .hasMessageContaining("once");
        assertThat(bench.applied(name, other(8))).isEmpty();
        assertLateEventComesAgain();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void instancesThatBecomeFewer_doNotLoseTheBacklogOfOne(boolean shardsKnown) {
        List<EventEnvelope<String>> all = new ArrayList<>(events(entity(2), 1, 5));
        all.addAll(events(entity(9), 1, 5));
        TestEvents first = new TestEvents(0, 7);
        TestEvents second = new TestEvents(8, 15);
        TestEvents whole = new TestEvents(0, 15);
        for (TestEvents source : List.of(first, second, whole)) {
            if (shardsKnown) {
                source.withSlicesPerShard(16);
            }
        }
        run(first.bring(events(entity(2), 1, 5)));
        runFailing(second.bring(events(entity(9), 1, 5)), entity(9));
        run(whole.bring(all));
        assertThat(bench.applied(name, entity(2))).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(bench.applied(name, entity(9))).containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    @Test
    void secondEntityTypeUnderTheSameName_beginsWithItsFirstEvent_alsoIfBothRunInTurns() {
        for (int round = 1; round <= 3; round++) {
            for (String type : List.of("cart", "order")) {
                String id = TestEvents.ofSlice(type, 5, 1).get(0);
                TestEvents events = new TestEvents(0, 15).withSlicesPerShard(16).withEntityType(type);
                int shift = type.equals("cart") ? 10_000 : 0;
                LongStream.rangeClosed(1, round)
                        .forEach(number -> events.bring(List.of(event(id, number, shift + number))));
                await(bench.run(name, events, bench.exactlyOnce(name, 1), bench.table(name, type), How.plain()));
                assertThat(bench.applied(name, id)).hasSize(round);
            }
        }
    }

    private How resetting() {
        return new How(
                settings -> DynamoDBProjectionSettings.create(DynamoDBProjectionSettings.create(bench.system())
                        .withSliceFlushInterval(TestBench.LONG)
                        .config()
                        .withValue(
                                "offset-store.accept-sequence-number-reset-after",
                                ConfigValueFactory.fromAnyRef("1 minute"))),
                HandlerRecoveryStrategy.fail(),
                25,
                20);
    }

    private DeliveryModes<EventEnvelope<String>> mode(String kind) {
        return kind.equals("grouped") ? bench.exactlyOnceGrouped(name) : bench.exactlyOnce(name, 1);
    }

    private void runResetting(String kind, TestEvents events) {
        await(bench.run(name, events, mode(kind), bench.resetting(name, Duration.ofMinutes(1)), resetting()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"single", "grouped"})
    void entityThatBeginsAnewWithADroppedEvent_goesOn(String kind) {
        String id = entity(5);
        runResetting(kind, new TestEvents(5, 5).bring(List.of(event(id, 1, 1), event(id, 2, 2), event(id, 3, 3))));
        TestEvents next = new TestEvents(5, 5)
                .bring(List.of(
                        event(id, 1, 10 * MINUTE),
                        event(id, 2, 10 * MINUTE + 1),
                        event(id, 3, 10 * MINUTE + 2),
                        event(id, 4, 10 * MINUTE + 3)));
        next.storeDropped(event(id, 1, 10 * MINUTE));
        runResetting(kind, next);
        assertThat(bench.applied(name, id)).containsExactly(1L, 2L, 3L, 2L, 3L, 4L);
        runResetting(kind, next);
        assertThat(bench.applied(name, id)).hasSize(6);
    }

    @ParameterizedTest
    @CsvSource({"single, true", "single, false", "grouped, true", "grouped, false"})
    void entityWhoseEarlierLifeEndsWithADroppedEvent_beginsAnew(String kind, boolean restart) {
        String id = entity(5);
        TestEvents first = new TestEvents(5, 5).bring(List.of(event(id, 1, 1), event(id, 2, 2), event(id, 3, 3)));
        first.storeDropped(event(id, 3, 3));
        TestEvents second = restart ? new TestEvents(5, 5) : first;
        if (restart) {
            runResetting(kind, first);
        }
        second.bring(List.of(event(id, 1, 10 * MINUTE), event(id, 2, 10 * MINUTE + 1)));
        runResetting(kind, second);
        assertThat(bench.applied(name, id)).containsExactly(1L, 2L, 1L, 2L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"single", "grouped"})
    void entityThatBeginsAnewWithinTheAcceptedTime_andIsNoticedLater_goesOn(String kind) {
        String id = entity(5);
        runResetting(kind, new TestEvents(5, 5).bring(List.of(event(id, 1, 1), event(id, 2, 2))));
        TestEvents anew = new TestEvents(5, 5)
                .bring(List.of(event(id, 1, MINUTE / 2), event(id, 2, 10 * MINUTE), event(id, 3, 11 * MINUTE)));
        runResetting(kind, anew);
        assertThat(bench.applied(name, id)).containsExactly(1L, 2L, 1L, 2L, 3L);
    }

    @Test
    void entityThatHasBegunAnewUnnoticed_isReadFromItsFirstEventOn_whateverTheNumberThatCame() {
        String id = entity(5);
        runResetting("single", new TestEvents(5, 5).bring(List.of(event(id, 1, 1), event(id, 2, 2))));
        TestEvents anew = new TestEvents(5, 5);
        LongStream.rangeClosed(1, 4).forEach(number -> anew.store(event(id, number, 10 * MINUTE + number)));
        runResetting("single", anew.bring(List.of(event(id, 3, 10 * MINUTE + 3), event(id, 4, 10 * MINUTE + 4))));
        assertThat(bench.applied(name, id)).containsExactly(1L, 2L, 1L, 2L, 3L, 4L);
    }

    @Test
    void entityThatWasQuietForLong_isNotTakenToHaveBegunAnew() {
        String id = entity(5);
        TestEvents events = new TestEvents(5, 5).bring(List.of(event(id, 1, 1), event(id, 2, 2)));
        runResetting("single", events);
        runResetting("single", events.bring(List.of(event(id, 3, 10 * MINUTE))));
        assertThat(bench.applied(name, id)).containsExactly(1L, 2L, 3L);
    }

    private static SliceOffset to(long timestamp) {
        return new SliceOffset(timestamp, Map.of(), timestamp);
    }

    private static TestEvents fourEvents(String id) {
        return new TestEvents(5, 5)
                .bring(LongStream.rangeClosed(1, 4)
                        .mapToObj(number -> event(id, number))
                        .toList());
    }

    @Test
    void transactionOfAnInstanceThatWasCutOff_landsAfterARewind_andUndoesNothing() {
        String id = entity(5);
        Gate gate = staleProxy.hold(
                RequestMatch.operation("TransactWriteItems").skip(3).times(1));
        CompletionStage<Done> stale = bench.run(
                name,
                fourEvents(id),
                bench.exactlyOnce(name, 1),
                bench.table(staleClient, name, Duration.ofSeconds(30)),
                How.plain());
        gate.awaitArrival();
        await(bench.table(name).set(Map.of(5, to(TestEvents.timestamp(2)))));
        gate.release();
        assertThatThrownBy(() -> await(stale)).hasMessageContaining("was set by hand after this instance had started");
        assertThat(bench.applied(name, id)).containsExactly(1L, 2L, 3L);
        run(fourEvents(id));
        assertThat(bench.applied(name, id)).containsExactly(1L, 2L, 3L, 2L, 3L, 4L);
    }

    /** Found by the simulation: the offset was set forward and back again, and what lies between was processed by nobody. */
    @Test
    void whatAnInstanceThatWasCutOffHasPassedOver_isProcessed_whenTheOffsetWasSetBack() {
        String id = entity(5);
        await(bench.table(name).set(Map.of(5, to(TestEvents.timestamp(3)))));
        Gate gate = staleProxy.hold(RequestMatch.operation("TransactWriteItems"));
        CompletionStage<Done> stale = bench.run(
                name,
                fourEvents(id),
                bench.exactlyOnce(name, 1),
                bench.table(staleClient, name, Duration.ofSeconds(30)),
                How.plain());
        gate.awaitArrival();
        await(bench.table(name).set(Map.of(5, to(TestEvents.timestamp(2)))));
        gate.releaseAll();
        assertThatThrownBy(() -> await(stale)).hasMessageContaining("was set by hand after this instance had started");
        assertThat(bench.applied(name, id)).isEmpty();
        run(fourEvents(id));
        assertThat(bench.applied(name, id)).containsExactly(2L, 3L, 4L);
    }

    @Test
    void whatAnInstanceThatWasCutOffHasPassedOver_isProcessed_alsoIfItHasDroppedTheRest() {
        String id = entity(5);
        await(bench.table(name).set(Map.of(5, to(TestEvents.timestamp(3)))));
        TestEvents events = fourEvents(id).storeDropped(event(id, 3)).storeDropped(event(id, 4));
        Gate gate = staleProxy.hold(RequestMatch.operation("TransactWriteItems"));
        CompletionStage<Done> stale = bench.run(
                name,
                events,
                bench.exactlyOnce(name, 1),
                bench.table(staleClient, name, Duration.ofSeconds(30)),
                How.plain());
        gate.awaitArrival();
        await(bench.table(name).set(Map.of(5, to(TestEvents.timestamp(2)))));
        gate.releaseAll();
        await(stale);
        run(events);
        assertThat(bench.applied(name, id)).containsExactly(2L);
    }

    @Test
    void instanceThatWasCutOff_isNotAskedToSkip() {
        String id = entity(5);
        Gate gate = staleProxy.hold(
                RequestMatch.operation("TransactWriteItems").skip(3).times(1));
        CompletionStage<Done> stale = bench.run(
                name,
                fourEvents(id),
                bench.exactlyOnce(name, 1),
                bench.table(staleClient, name, Duration.ofSeconds(30)),
                How.plain().recovering(HandlerRecoveryStrategy.skip()));
        gate.awaitArrival();
        await(bench.table(name).clear(5, 5));
        gate.release();
        assertThatThrownBy(() -> await(stale)).hasMessageContaining("was set by hand");
        run(fourEvents(id));
        assertThat(bench.applied(name, id)).containsExactly(1L, 2L, 3L, 1L, 2L, 3L, 4L);
    }

    @Test
    void placesAndRowsOfAnInstanceThatWasCutOff_landAfterARewind_andUndoNothing() {
        String id = entity(5);
        Gate gate = staleProxy.hold(RequestMatch.operation("BatchWriteItem"));
        CompletionStage<Done> stale = bench.run(
                name,
                fourEvents(id),
                notes.atLeastOnce(),
                bench.table(staleClient, name, Duration.ofSeconds(30)),
                How.plain());
        gate.awaitArrival();
        await(bench.table(name).set(Map.of(5, to(TestEvents.timestamp(3)))));
        gate.releaseAll();
        await(stale);
        assertThat(notes.handled()).hasSize(4);
        await(bench.run(name, fourEvents(id), notes.atLeastOnce(), bench.table(name), How.plain()));
        assertThat(notes.handled().subList(4, 6)).containsExactly(id + " 3", id + " 4");
    }

    @Test
    void rowOfADroppedEvent_ofAnInstanceThatWasCutOff_landsAfterARewind_andUndoesNothing() {
        String id = entity(5);
        TestEvents events = fourEvents(id).storeDropped(event(id, 4));
        Gate gate = staleProxy.hold(RequestMatch.operation("BatchWriteItem"));
        CompletionStage<Done> stale = bench.run(
                name, events, notes.atLeastOnce(), bench.table(staleClient, name, Duration.ofSeconds(30)), How.plain());
        gate.awaitArrival();
        await(bench.table(name).clear(5, 5));
        gate.releaseAll();
        await(stale);
        assertThat(notes.handled()).hasSize(3);
        await(bench.run(name, events, notes.atLeastOnce(), bench.table(name), How.plain()));
        assertThat(notes.handled().subList(3, notes.handled().size())).containsExactly(id + " 1", id + " 2", id + " 3");
    }

    @Test
    void whatASetOffsetHasSeen_isNotProcessedAgain_whenAnInstanceThatWasCutOffSavesLater() {
        String id = entity(5);
        Gate gate = staleProxy.hold(RequestMatch.operation("BatchWriteItem"));
        CompletionStage<Done> stale = bench.run(
                name,
                fourEvents(id),
                notes.atLeastOnce(),
                bench.table(staleClient, name, Duration.ofSeconds(30)),
                How.plain());
        gate.awaitArrival();
        await(bench.table(name)
                .set(Map.of(5, new SliceOffset(TestEvents.timestamp(3), Map.of(id, 3L), TestEvents.timestamp(3)))));
        gate.releaseAll();
        await(stale);
        OffsetTable table = bench.table(name);
        await(bench.run(name, fourEvents(id), notes.atLeastOnce(), table, How.plain()));
        assertThat(notes.handled().subList(4, notes.handled().size())).containsExactly(id + " 4");
    }
}
