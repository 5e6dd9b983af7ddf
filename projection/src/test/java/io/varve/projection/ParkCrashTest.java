package io.varve.projection;

import static io.varve.projection.TestBench.await;
import static io.varve.projection.TestEvents.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.projection.TestBench.How;
import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.projection.internal.progress.EntityParking;
import io.varve.projection.internal.progress.OffsetSaver;
import io.varve.projection.internal.progress.Transactions;
import io.varve.projection.internal.retry.ProgressChangedException;
import io.varve.store.OffsetWasSetException;
import io.varve.store.VarveException;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.ParkedRow;
import io.varve.store.internal.offset.SetOffsets;
import io.varve.store.internal.offset.SliceOffset;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.pekko.Done;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.javadsl.Handler;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** Parked entities when instances die, others are alive, or the offset is set; and what parking costs. */
class ParkCrashTest {
    private static final Fault DEAD = Fault.error(400, "ValidationException", "dead");
    private static final RequestMatch TRANSACTIONS = RequestMatch.operation("TransactWriteItems");
    private static final How PARKING = new How(
            settings -> settings.withSliceFlushInterval(TestBench.LONG).withOnFailure(OnFailure.PARK),
            How.plain().recovery(),
            How.plain().saveSize(),
            4);

    private static TestBench bench;
    private static FaultProxy otherProxy;
    private static DynamoDbAsyncClient otherClient;
    private static List<WarningsOf> warnings;

    private final String name = TestBench.freshName();
    private final List<String> ids = TestEvents.ofSlice(5, 2);
    private final String bad = ids.get(0);
    private final String good = ids.get(1);
    private final Set<String> poisoned = ConcurrentHashMap.newKeySet();
    private final List<String> handled = Collections.synchronizedList(new ArrayList<>());

    @BeforeAll
    static void start() {
        bench = new TestBench();
        otherProxy = FaultProxy.start(DynamoDBLocal.shared().endpoint());
        otherClient = otherProxy.client();
        warnings = List.of(
                new WarningsOf(EntityParking.class),
                new WarningsOf(OffsetSaver.class),
                new WarningsOf(Transactions.class));
    }

    @AfterAll
    static void stop() {
        warnings.forEach(WarningsOf::close);
        otherClient.close();
        otherProxy.close();
        bench.close();
    }

    @AfterEach
    void clear() {
        bench.proxy().clear();
        otherProxy.clear();
    }

    /** Events of both entities in turns. */
    private List<EventEnvelope<String>> events(int last) {
        List<EventEnvelope<String>> events = new ArrayList<>();
        for (long number = 1; number <= last; number++) {
            events.add(event(good, number, number * 1_000));
            events.add(event(bad, number, number * 1_000 + 500));
        }
        return events;
    }

    private void check(Collection<EventEnvelope<String>> events) {
        for (EventEnvelope<String> event : events) {
            handled.add(event.persistenceId() + " " + event.sequenceNr());
            if (poisoned.contains(event.persistenceId() + " " + event.sequenceNr())) {
                throw new IllegalStateException("poisoned");
            }
        }
    }

    private CompletionStage<Collection<TransactWriteItem>> transact(Collection<EventEnvelope<String>> events) {
        check(events);
        return CompletableFuture.completedFuture(bench.changes(name, events));
    }

    private DeliveryModes<EventEnvelope<String>> mode(String kind) {
        return switch (kind) {
            case "exactlyOnce" -> TestBench.transacting(event -> transact(List.of(event)), 1);
            case "parallel" -> TestBench.transacting(event -> transact(List.of(event)), 4);
            case "exactlyOnceGrouped" -> TestBench.transactingGroups(this::transact);
            case "atLeastOnce" -> DeliveryModes.atLeastOnce(() -> Handler.fromFunction(event -> note(List.of(event))));
            default -> DeliveryModes.atLeastOnceGrouped(() -> Handler.fromFunction(this::note));
        };
    }

    private CompletionStage<Done> note(Collection<EventEnvelope<String>> events) {
        check(events);
        return CompletableFuture.completedFuture(Done.getInstance());
    }

    private CompletionStage<Done> run(String kind, OffsetTable table, List<EventEnvelope<String>> events) {
        return bench.run(name, new TestEvents(5, 5).bring(events), mode(kind), table, PARKING);
    }

    private void run(String kind, int last) {
        await(run(kind, bench.directTable(name), events(last)));
    }

    private List<ParkedRow> listed() {
        return await(bench.directTable(name).parked().list());
    }

    private boolean isMarked() {
        return await(bench.directTable(name).load(Set.of(bad), SetOffsets.NONE)).values().stream()
                .flatMap(row -> row.parkedAt().stream())
                .anyMatch(at -> !at.retried());
    }

    private void retry(long number) {
        poisoned.clear();
        assertThat(await(bench.directTable(name).parked().retry(bad, number))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"exactlyOnce", "parallel", "exactlyOnceGrouped"})
    void placesThatWereNotStored_theEntityStaysParked_andNothingIsAppliedTwice(String kind) {
        poisoned.add(bad + " 2");
        bench.proxy().on(RequestMatch.operation("BatchWriteItem"), DEAD);
        await(run(kind, bench.table(name), events(3)));
        bench.proxy().clear();
        assertThat(await(bench.directTable(name).read(5, 5)).places()).isEmpty();
        handled.clear();
        run(kind, 4);
        assertThat(handled).containsExactly(good + " 4");
        assertThat(bench.applied(name, bad)).containsExactly(1L);
        assertThat(bench.applied(name, good)).containsExactly(1L, 2L, 3L, 4L);
        assertThat(isMarked()).isTrue();
        retry(2);
        run(kind, 5);
        assertThat(bench.applied(name, bad)).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(bench.applied(name, good)).containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"atLeastOnce", "atLeastOnceGrouped"})
    void atLeastOnce_theRowOfTheLastProcessedEventDoesNotReplaceTheMark(String kind) {
        poisoned.add(bad + " 3");
        run(kind, 4);
        assertThat(isMarked()).isTrue();
        assertThat(await(bench.directTable(name).lastProcessed(ids, SetOffsets.NONE)))
                .containsEntry(bad, new LastProcessed(bad, 2, 2_500))
                .containsEntry(good, new LastProcessed(good, 4, 4_000));
        handled.clear();
        run(kind, 5);
        assertThat(handled).containsExactly(good + " 5");
        retry(3);
        handled.clear();
        run(kind, 5);
        assertThat(handled).containsExactly(bad + " 3", bad + " 4", bad + " 5");
    }

    @ParameterizedTest
    @ValueSource(strings = {"exactlyOnce", "exactlyOnceGrouped", "atLeastOnce", "atLeastOnceGrouped"})
    void place_movesPastTheEventsOfAParkedEntity(String kind) {
        poisoned.add(bad + " 1");
        run(kind, 3);
        assertThat(await(bench.directTable(name).read(5, 5)).places().get(5))
                .isEqualTo(new SliceOffset(3_500, Map.of(bad, 3L), 0));
        retry(1);
        handled.clear();
        run(kind, 3);
        assertThat(handled.stream().distinct()).containsExactly(bad + " 1", bad + " 2", bad + " 3");
    }

    @ParameterizedTest
    @CsvSource({"exactlyOnce, 0", "exactlyOnce, 1", "exactlyOnce, 2", "exactlyOnceGrouped, 0", "parallel, 1"})
    void instanceThatDiesWhileItCatchesUp_theNextOneGoesOn(String kind, int survive) {
        poisoned.add(bad + " 2");
        run(kind, 5);
        retry(2);
        for (boolean late : List.of(false, true)) {
            bench.proxy().on(TRANSACTIONS.skip(survive).times(1), late ? Fault.resetAfter() : DEAD);
            bench.proxy().on(TRANSACTIONS.skip(survive), DEAD);
            How failing =
                    new How(settings -> settings.withSliceFlushInterval(TestBench.LONG), PARKING.recovery(), 25, 4);
            assertThatThrownBy(() -> await(bench.run(
                            name, new TestEvents(5, 5).bring(events(6)), mode(kind), bench.table(name), failing)))
                    .isInstanceOf(VarveException.class)
                    .hasMessageContaining("dead");
            bench.proxy().clear();
        }
        run(kind, 6);
        assertThat(bench.applied(name, bad)).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
        assertThat(bench.applied(name, good)).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
    }

    @Test
    void anotherInstanceHasProcessedTheEvent_nothingIsParked() {
        poisoned.add(bad + " 1");
        Gate park = otherProxy.hold(TRANSACTIONS.times(1));
        CompletionStage<Done> poisonedOne = run(
                "exactlyOnce",
                bench.table(otherClient, name, Duration.ofSeconds(30)),
                List.of(event(bad, 1, 1_000), event(bad, 2, 2_000)));
        park.awaitArrival();
        poisoned.clear();
        await(run("exactlyOnce", bench.directTable(name), List.of(event(bad, 1, 1_000))));
        park.release();
        assertThatThrownBy(() -> await(poisonedOne))
                .isInstanceOf(ProgressChangedException.class)
                .hasMessageContaining(
                        "event 1 of '" + bad + "' was changed by somebody else while it was being parked");
        assertThat(listed()).isEmpty();
        run("exactlyOnce", 3);
        assertThat(bench.applied(name, bad)).containsExactly(1L, 2L, 3L);
    }

    @Test
    void anotherInstanceProcessesTheEventOfAParkedEntity_itGoesOn_andNothingIsAppliedTwice() {
        Gate transaction = otherProxy.hold(TRANSACTIONS.times(1));
        CompletionStage<Done> slow = run(
                "exactlyOnce", bench.table(otherClient, name, Duration.ofSeconds(30)), List.of(event(bad, 1, 1_500)));
        transaction.awaitArrival();
        poisoned.add(bad + " 1");
        run("exactlyOnce", 2);
        assertThat(isMarked()).isTrue();
        transaction.release();
        await(slow);
        assertThat(bench.applied(name, bad)).containsExactly(1L);
        assertThat(listed()).as("its second event was passed by").hasSize(1);
        run("exactlyOnce", 2);
        assertThat(bench.applied(name, bad)).containsExactly(1L, 2L);
    }

    @Test
    void offsetThatWasSet_anInstanceThatWasCutOffParksNothing() {
        run("exactlyOnce", 1);
        poisoned.add(bad + " 2");
        Gate park = otherProxy.hold(TRANSACTIONS.times(1));
        CompletionStage<Done> cutOff = run(
                "exactlyOnce", bench.table(otherClient, name, Duration.ofSeconds(30)), List.of(event(bad, 2, 2_500)));
        park.awaitArrival();
        await(bench.directTable(name).clear(5, 5));
        park.release();
        assertThatThrownBy(() -> await(cutOff)).isInstanceOf(OffsetWasSetException.class);
        assertThat(listed()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"exactlyOnce", "atLeastOnce"})
    void offsetSetBehindTheParkedEvent_skipsIt(String kind) {
        poisoned.add(bad + " 2");
        run(kind, 4);
        await(bench.directTable(name).set(Map.of(5, new SliceOffset(3_000, Map.of(), 3_000))));
        handled.clear();
        run(kind, 5);
        assertThat(handled).contains(bad + " 3", bad + " 4", bad + " 5").doesNotContain(bad + " 2");
    }

    @Test
    void answerThatIsLost_parksOnce() {
        poisoned.add(bad + " 1");
        bench.proxy().on(TRANSACTIONS.times(1), Fault.resetAfter());
        await(run("exactlyOnce", bench.table(name), List.of(event(bad, 1, 1_000))));
        assertThat(listed()).hasSize(1);
        assertThat(handled).containsExactly(bad + " 1");
        assertThat(isMarked()).isTrue();
    }

    @Test
    void rowThatAnOlderVersionHasReplaced_theEntityIsTriedAgain() {
        poisoned.add(bad + " 2");
        run("atLeastOnce", 3);
        await(bench.directTable(name).save(List.of(new LastProcessed(bad, 1, 1_500)), SetOffsets.NONE));
        handled.clear();
        poisoned.clear();
        run("atLeastOnce", 3);
        assertThat(handled).containsExactly(bad + " 2", bad + " 3");
    }

    @Test
    void cost_parkingIsAQueryAndATransaction_andAStartAQueryMore() {
        bench.proxy().requests().clear();
        await(run("exactlyOnce", bench.table(name), List.of(event(good, 1, 1_000))));
        assertThat(bench.proxy().requests().operations())
                .containsExactly(
                        "BatchGetItem(4)", "Query", "BatchGetItem(1)", "TransactWriteItems(2)", "BatchWriteItem(1)");
        poisoned.add(bad + " 1");
        bench.proxy().requests().clear();
        await(run("exactlyOnce", bench.table(name), List.of(event(bad, 1, 1_500))));
        assertThat(bench.proxy().requests().operations())
                .containsExactly(
                        "BatchGetItem(4)",
                        "Query",
                        "BatchGetItem(1)",
                        "Query",
                        "TransactWriteItems(2)",
                        "BatchWriteItem(1)");
        bench.proxy().requests().clear();
        await(run("exactlyOnce", bench.table(name), List.of(event(bad, 2, 2_500))));
        assertThat(bench.proxy().requests().operations())
                .as("the list, the row of the parked entity, and that again for its events that wait")
                .containsExactly("BatchGetItem(4)", "Query", "BatchGetItem(1)", "BatchGetItem(1)", "BatchWriteItem(1)");
    }

    @Test
    void largeGroup_onlyTheEntityAtFaultIsParked() {
        poisoned.add(bad + " 3");
        How large = new How(PARKING.settings(), PARKING.recovery(), 25, 20);
        await(bench.run(
                name,
                new TestEvents(5, 5).bring(events(8)),
                mode("exactlyOnceGrouped"),
                bench.directTable(name),
                large));
        assertThat(bench.applied(name, good)).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L);
        assertThat(bench.applied(name, bad)).containsExactly(1L, 2L);
        assertThat(listed())
                .singleElement()
                .satisfies(row -> assertThat(row.event().sequenceNumber()).isEqualTo(3));
    }
}
