package io.varve.projection;

import static io.varve.projection.TestBench.await;
import static io.varve.projection.TestEvents.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.projection.TestBench.How;
import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.projection.internal.delivery.GroupTransactions;
import io.varve.projection.internal.pekko.PekkoRecovery;
import io.varve.projection.internal.progress.Transactions;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.SetOffsets;
import io.varve.testkit.Fault;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.Done;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** Events that wait are stored by one transaction, and each fares as it would by itself. */
class GroupCommitTest {
    private static final RequestMatch TRANSACTIONS = RequestMatch.operation("TransactWriteItems");
    private static final List<String> IDS = List.of("a", "b", "c", "d", "e", "f");

    private static TestBench bench;
    private static final List<WarningsOf> WARNINGS = new ArrayList<>();

    private final String name = TestBench.freshName();
    private final List<String> calls = new CopyOnWriteArrayList<>();

    @BeforeAll
    static void start() {
        bench = new TestBench();
        for (Class<?> logger : List.of(Transactions.class, GroupTransactions.class, PekkoRecovery.class)) {
            WARNINGS.add(new WarningsOf(logger));
        }
    }

    @AfterAll
    static void stop() {
        WARNINGS.forEach(WarningsOf::close);
        bench.close();
    }

    @BeforeEach
    void forget() {
        bench.proxy().requests().clear();
    }

    @AfterEach
    void clear() {
        bench.proxy().clear();
    }

    /** The first event of each. */
    private static List<EventEnvelope<String>> firstOf(List<String> ids) {
        List<EventEnvelope<String>> events = new ArrayList<>();
        for (String id : ids) {
            events.add(event(id, 1, 1_000 + events.size()));
        }
        return events;
    }

    /** What a handler makes of an event. */
    private interface Making {
        Collection<TransactWriteItem> of(EventEnvelope<String> event);
    }

    private DeliveryModes<EventEnvelope<String>> committing(int parallelism, Making making) {
        return TestBench.committing(
                event -> {
                    calls.add(event.persistenceId() + event.sequenceNr());
                    return CompletableFuture.completedFuture(making.of(event));
                },
                parallelism,
                100);
    }

    private CompletionStage<Done> run(
            List<EventEnvelope<String>> events,
            DeliveryModes<EventEnvelope<String>> modes,
            HandlerRecoveryStrategy strategy) {
        return bench.run(
                name,
                new TestEvents(0, 1023).bring(events),
                modes,
                bench.table(name),
                How.plain().recovering(strategy));
    }

    private CompletionStage<Done> run(List<EventEnvelope<String>> events, DeliveryModes<EventEnvelope<String>> modes) {
        return run(events, modes, HandlerRecoveryStrategy.fail());
    }

    private Collection<TransactWriteItem> changes(EventEnvelope<String> event) {
        return bench.changes(name, List.of(event));
    }

    private TransactWriteItem put(String id, String text) {
        return TransactWriteItem.builder()
                .put(put -> put.tableName(bench.test().target())
                        .item(Map.of("id", AttributeValue.fromS(name + " " + id), "text", AttributeValue.fromS(text))))
                .build();
    }

    private TransactWriteItem count(String id) {
        return TransactWriteItem.builder()
                .update(update -> update.tableName(bench.test().target())
                        .key(Map.of("id", AttributeValue.fromS(name + " " + id)))
                        .updateExpression("ADD n :one")
                        .expressionAttributeValues(Map.of(":one", AttributeValue.fromN("1"))))
                .build();
    }

    private TransactWriteItem impossible(String id) {
        return TransactWriteItem.builder()
                .conditionCheck(check -> check.tableName(bench.test().target())
                        .key(Map.of("id", AttributeValue.fromS(name + " " + id)))
                        .conditionExpression("attribute_exists(nothing)"))
                .build();
    }

    private Map<String, AttributeValue> item(String id) {
        return bench.test()
                .client()
                .getItem(get -> get.tableName(bench.test().target())
                        .key(Map.of("id", AttributeValue.fromS(name + " " + id)))
                        .consistentRead(true))
                .join()
                .item();
    }

    private String value(String id, String name) {
        AttributeValue value = item(id).get(name);
        return value == null ? "nothing" : value.n() == null ? value.s() : value.n();
    }

    private Collection<LastProcessed> rows() {
        return await(bench.directTable(name).lastProcessed(IDS, SetOffsets.NONE))
                .values();
    }

    private static List<String> transactions() {
        return bench.proxy().requests().operations().stream()
                .filter(operation -> operation.startsWith("TransactWriteItems"))
                .toList();
    }

    /** Runs until the first event is on its way alone, and the handler has had all others; then lets all go on. */
    private void runWithAGroup(List<EventEnvelope<String>> events, Making making, HandlerRecoveryStrategy strategy) {
        Gate gate = bench.proxy().hold(TRANSACTIONS);
        CompletionStage<Done> run = run(events, committing(1, making), strategy);
        gate.awaitArrival();
        Awaitility.await().untilAsserted(() -> assertThat(calls).hasSize(events.size()));
        gate.releaseAll();
        await(run);
    }

    @Test
    void whatWaits_isStoredByOneTransaction_andTheFirstEventDoesNotWait() {
        runWithAGroup(firstOf(IDS), this::changes, HandlerRecoveryStrategy.fail());
        assertThat(transactions()).containsExactly("TransactWriteItems(2)", "TransactWriteItems(10)");
        assertThat(calls).containsExactly("a1", "b1", "c1", "d1", "e1", "f1");
        IDS.forEach(id -> assertThat(bench.applied(name, id)).containsExactly(1L));
        assertThat(rows()).hasSize(6);
    }

    @Test
    void eventOfAnEntity_reachesTheHandlerWhenThoseBeforeItAreStored() {
        List<EventEnvelope<String>> events = new ArrayList<>();
        for (long number = 1; number <= 4; number++) {
            for (String id : IDS) {
                events.add(event(id, number, number * 1_000));
            }
        }
        List<String> seen = new CopyOnWriteArrayList<>();
        await(run(events, committing(2, event -> {
            seen.add(event.sequenceNr() + " after " + bench.applied(name, event.persistenceId()));
            return changes(event);
        })));
        assertThat(seen).hasSize(24).containsOnly("1 after []", "2 after [1]", "3 after [1, 2]", "4 after [1, 2, 3]");
        IDS.forEach(id -> assertThat(bench.applied(name, id)).containsExactly(1L, 2L, 3L, 4L));
        assertThat(transactions()).hasSizeLessThan(24);
    }

    @Test
    void groupsOfDisjointEntities_overlap_asManyAsAllowed() {
        Gate gate = bench.proxy().hold(TRANSACTIONS);
        CompletionStage<Done> run = run(firstOf(IDS), committing(2, this::changes));
        gate.awaitArrivals(2);
        Awaitility.await().untilAsserted(() -> assertThat(calls).hasSize(6));
        assertThat(gate.arrivals()).as("and no more").isEqualTo(2);
        gate.releaseAll();
        await(run);
        assertThat(transactions())
                .startsWith("TransactWriteItems(2)", "TransactWriteItems(2)")
                .hasSizeBetween(3, 4);
        assertThat(rows()).hasSize(6);
    }

    @Test
    void updatesOfOneItem_areInTransactionsOfTheirOwn_andNoneIsRefused() {
        runWithAGroup(
                firstOf(IDS),
                event -> List.of(count(event.persistenceId().compareTo("d") < 0 ? "all" : event.persistenceId())),
                HandlerRecoveryStrategy.fail());
        assertThat(value("all", "n")).isEqualTo("3");
        assertThat(transactions())
                .as("a; b d e f; c")
                .containsExactly("TransactWriteItems(2)", "TransactWriteItems(8)", "TransactWriteItems(2)");
    }

    @Test
    void putsOfOneItem_whoseKeyNobodyKnows_areDividedWhenDynamoDBRefusesThem() {
        runWithAGroup(
                firstOf(IDS),
                event -> List.of(put("last", event.persistenceId()), put(event.persistenceId(), "own")),
                HandlerRecoveryStrategy.fail());
        assertThat(value("last", "text")).isEqualTo("f");
        IDS.forEach(id -> assertThat(item(id)).isNotEmpty());
        assertThat(rows()).hasSize(6);
        assertThat(transactions())
                .as("a; b c d e f; b c; b; c; d e f; d; e f; e; f")
                .containsExactly(
                        "TransactWriteItems(3)",
                        "TransactWriteItems(15)",
                        "TransactWriteItems(6)",
                        "TransactWriteItems(3)",
                        "TransactWriteItems(3)",
                        "TransactWriteItems(9)",
                        "TransactWriteItems(3)",
                        "TransactWriteItems(6)",
                        "TransactWriteItems(3)",
                        "TransactWriteItems(3)");
    }

    @Test
    void eventWhoseConditionDoesNotHold_isSkippedAlone() {
        runWithAGroup(
                firstOf(IDS),
                event -> event.persistenceId().equals("c")
                        ? List.of(count("c"), impossible("x"))
                        : List.of(count(event.persistenceId())),
                HandlerRecoveryStrategy.skip());
        for (String id : List.of("a", "b", "d", "e", "f")) {
            assertThat(value(id, "n")).isEqualTo("1");
        }
        assertThat(item("c")).isEmpty();
        assertThat(rows()).as("that of c says that it is skipped").hasSize(6);
        assertThat(calls).as("nobody was called again").hasSize(6);
        assertThat(transactions())
                .as("a; all others; those without a fault; c; c is skipped")
                .containsExactly(
                        "TransactWriteItems(2)",
                        "TransactWriteItems(11)",
                        "TransactWriteItems(8)",
                        "TransactWriteItems(3)",
                        "TransactWriteItems(1)");
    }

    @Test
    void eventWhoseConditionDoesNotHold_isTriedAgainAlone() {
        AtomicInteger attempts = new AtomicInteger();
        runWithAGroup(
                firstOf(IDS),
                event -> event.persistenceId().equals("c") && attempts.incrementAndGet() < 3
                        ? List.of(count("c"), impossible("x"))
                        : List.of(count(event.persistenceId())),
                HandlerRecoveryStrategy.retryAndFail(5, Duration.ofMillis(1)));
        IDS.forEach(id -> assertThat(value(id, "n")).isEqualTo("1"));
        assertThat(Collections.frequency(calls, "c1")).isEqualTo(3);
        assertThat(calls).hasSize(8);
    }

    @Test
    void eventThatCannotBeStored_failsTheStream_withAnErrorThatNamesIt_andTheOthersAreStored() {
        assertThatThrownBy(() -> runWithAGroup(
                        firstOf(IDS),
                        event -> event.persistenceId().equals("c")
                                ? Collections.singletonList(null)
                                : List.of(count(event.persistenceId())),
                        HandlerRecoveryStrategy.fail()))
                .hasMessageContaining("null item for event 1 of 'c'");
        assertThat(rows()).extracting(LastProcessed::persistenceId).containsExactlyInAnyOrder("a", "b", "d", "e", "f");
    }

    @Test
    void groupThatIsTooLarge_isHalved() {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 13; i++) {
            ids.add("large" + i);
        }
        runWithAGroup(
                firstOf(ids),
                event -> List.of(put(event.persistenceId(), "x".repeat(390_000))),
                HandlerRecoveryStrategy.fail());
        ids.forEach(id -> assertThat(item(id)).as(id).isNotEmpty());
        assertThat(transactions())
                .as("one; twelve are more than 4 MB; six; six")
                .containsExactly(
                        "TransactWriteItems(2)",
                        "TransactWriteItems(24)",
                        "TransactWriteItems(12)",
                        "TransactWriteItems(12)");
    }

    @Test
    void moreThanAHundredActions_areSeveralTransactions_andNoneIsRefused() {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            ids.add("wide" + i);
        }
        runWithAGroup(
                firstOf(ids),
                event -> {
                    List<TransactWriteItem> items = new ArrayList<>();
                    for (int i = 0; i < 30; i++) {
                        items.add(count(event.persistenceId() + "-" + i));
                    }
                    return items;
                },
                HandlerRecoveryStrategy.fail());
        assertThat(transactions())
                .containsExactly(
                        "TransactWriteItems(31)",
                        "TransactWriteItems(93)",
                        "TransactWriteItems(93)",
                        "TransactWriteItems(62)");
        ids.forEach(id -> assertThat(value(id + "-29", "n")).isEqualTo("1"));
    }

    @Test
    void lostAnswerOfAGroup_isRecognised_andNothingAppliedTwice() {
        bench.proxy().on(TRANSACTIONS.skip(1).times(1), Fault.resetAfter());
        bench.proxy().on(TRANSACTIONS.skip(1).times(1), Fault.error(400, "AccessDeniedException", "not now"));
        runWithAGroup(firstOf(IDS), this::changes, HandlerRecoveryStrategy.fail());
        IDS.forEach(id -> assertThat(bench.applied(name, id)).containsExactly(1L));
        assertThat(rows()).hasSize(6);
        assertThat(calls).hasSize(6);
        assertThat(WARNINGS.get(0).messages())
                .filteredOn(message -> message.startsWith(name))
                .singleElement()
                .asString()
                .contains("5 events", "was stored before");
    }

    @Test
    void parallelismOfOne_callsTheHandlerForOneEventAtATime() {
        AtomicInteger open = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        await(run(
                firstOf(IDS),
                TestBench.committing(
                        event -> {
                            most.accumulateAndGet(open.incrementAndGet(), Math::max);
                            return CompletableFuture.supplyAsync(() -> {
                                open.decrementAndGet();
                                return changes(event);
                            });
                        },
                        1,
                        100)));
        assertThat(most).hasValue(1);
        assertThat(rows()).hasSize(6);
    }

    @Test
    void stop_waitsForTheHandlerThatRuns_andBeginsNoOther() {
        CompletableFuture<Done> gate = new CompletableFuture<>();
        TestBench.Started run = bench.start(
                name,
                new TestEvents(0, 1023).bring(firstOf(IDS)),
                TestBench.committing(
                        event -> {
                            calls.add(event.persistenceId());
                            return gate.thenApply(opened -> changes(event));
                        },
                        1,
                        100),
                bench.table(name),
                How.plain());
        Awaitility.await().untilAsserted(() -> assertThat(calls).hasSize(1));

        run.stream().stop();
        gate.complete(Done.getInstance());
        await(run.end());

        assertThat(calls).containsExactly("a");
        assertThat(rows()).extracting(LastProcessed::persistenceId).containsExactly("a");
        assertThat(bench.applied(name, "a")).containsExactly(1L);
    }
}
