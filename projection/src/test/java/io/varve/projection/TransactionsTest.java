package io.varve.projection;

import static io.varve.projection.TestBench.await;
import static io.varve.projection.TestEvents.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.projection.TestBench.How;
import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.projection.internal.event.AdaptedEvent;
import io.varve.projection.internal.event.Position;
import io.varve.projection.internal.pekko.PekkoRecovery;
import io.varve.projection.internal.progress.InFlight;
import io.varve.projection.internal.progress.StreamProgress;
import io.varve.projection.internal.progress.Transactions;
import io.varve.store.VarveException;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.SetOffsets;
import io.varve.testkit.Fault;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.ThrottleCode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** What a handler returns is stored with the progress, or nothing is. */
class TransactionsTest {
    private static TestBench bench;
    private static WarningsOf halvings;

    private final String name = TestBench.freshName();
    private final StreamProgress progress = new StreamProgress(Duration.ofMinutes(5), 1_000, Optional.empty());
    private OffsetTable table;

    @BeforeAll
    static void start() {
        bench = new TestBench();
        halvings = new WarningsOf("io.varve.projection.internal.delivery.GroupTransactions");
    }

    @AfterAll
    static void stop() {
        halvings.close();
        bench.close();
    }

    @BeforeEach
    void open() {
        table = bench.table(name);
        bench.proxy().requests().clear();
    }

    @AfterEach
    void clear() {
        bench.proxy().clear();
    }

    private Transactions<EventEnvelope<String>> transactions() {
        return new Transactions<>(name, table, progress);
    }

    @SafeVarargs
    private List<InFlight<EventEnvelope<String>>> inFlight(EventEnvelope<String>... events) {
        List<InFlight<EventEnvelope<String>>> inFlight = new ArrayList<>();
        for (EventEnvelope<String> event : events) {
            Position position = Position.of(event);
            InFlight<EventEnvelope<String>> one =
                    new InFlight<>(new AdaptedEvent<>(position, List.of(event)), position.timestamp());
            progress.begin(one);
            inFlight.add(one);
        }
        return inFlight;
    }

    private TransactWriteItem put(String id) {
        return TransactWriteItem.builder()
                .put(put ->
                        put.tableName(bench.test().target()).item(Map.of("id", AttributeValue.fromS(name + " " + id))))
                .build();
    }

    private TransactWriteItem putOnce(String id) {
        return TransactWriteItem.builder()
                .put(put -> put.tableName(bench.test().target())
                        .item(Map.of("id", AttributeValue.fromS(name + " " + id)))
                        .conditionExpression("attribute_not_exists(id)"))
                .build();
    }

    private boolean exists(String id) {
        return bench.test()
                .client()
                .getItem(get -> get.tableName(bench.test().target())
                        .key(Map.of("id", AttributeValue.fromS(name + " " + id)))
                        .consistentRead(true))
                .join()
                .hasItem();
    }

    private Map<String, LastProcessed> rows(String... persistenceIds) {
        return await(bench.directTable(name).lastProcessed(List.of(persistenceIds), SetOffsets.NONE));
    }

    private List<TransactWriteItem> puts(int number) {
        return IntStream.range(0, number).mapToObj(i -> put("x" + i)).toList();
    }

    @Test
    void itemsAndProgress_areOneRequest() {
        assertThat(await(transactions().store(puts(2), inFlight(event("a", 1), event("a", 2), event("b", 1)))))
                .isEmpty();
        assertThat(bench.proxy().requests().operations()).containsExactly("TransactWriteItems(4)");
        assertThat(rows("a", "b").values())
                .containsExactlyInAnyOrder(
                        new LastProcessed("a", 2, TestEvents.timestamp(2)),
                        new LastProcessed("b", 1, TestEvents.timestamp(1)));
        assertThat(exists("x1")).isTrue();
    }

    @Test
    void aHundredActions_areStored_oneMoreIsAnErrorThatCountsThem() {
        assertThat(await(transactions().store(puts(99), inFlight(event("a", 1)))))
                .isEmpty();
        assertThatThrownBy(() -> await(transactions().store(puts(100), inFlight(event("a", 2)))))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("returned 100 items for event 2 of 'a'")
                .hasMessageContaining("with 1 for offsets they are more than the 100")
                .hasMessageContaining("nothing was stored");
        assertThat(bench.proxy().requests().operations()).containsExactly("TransactWriteItems(100)");
    }

    @Test
    void nullItem_isAClearError() {
        List<TransactWriteItem> items = new ArrayList<>(puts(1));
        items.add(null);
        assertThatThrownBy(() -> await(transactions().store(items, inFlight(event("a", 1)))))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("null item for event 1 of 'a'");
        assertThat(bench.proxy().requests().operations()).isEmpty();
    }

    @Test
    void itemOfTheOffsetTable_isRefusedWhateverTheAction() {
        Map<String, AttributeValue> key =
                Map.of("name_slice", AttributeValue.fromS("x-1"), "pid", AttributeValue.fromS("y"));
        String offsets = bench.offsets();
        for (TransactWriteItem item : List.of(
                TransactWriteItem.builder()
                        .put(p -> p.tableName(offsets).item(key))
                        .build(),
                TransactWriteItem.builder()
                        .delete(d -> d.tableName(offsets).key(key))
                        .build(),
                TransactWriteItem.builder()
                        .update(u -> u.tableName(offsets).key(key).updateExpression("REMOVE x"))
                        .build(),
                TransactWriteItem.builder()
                        .conditionCheck(
                                c -> c.tableName(offsets).key(key).conditionExpression("attribute_not_exists(pid)"))
                        .build())) {
            assertThatThrownBy(() -> await(transactions().store(List.of(put("x"), item), inFlight(event("a", 1)))))
                    .isInstanceOf(VarveException.class)
                    .hasMessageContaining("an item of the offset table '" + offsets + "' for event 1 of 'a'");
        }
        assertThat(bench.proxy().requests().operations()).isEmpty();
    }

    @Test
    void failedConditionOfTheHandlersItem_namesItAndStoresNothing() {
        await(transactions().store(List.of(putOnce("x")), inFlight(event("a", 1))));
        assertThatThrownBy(() -> await(transactions().store(List.of(put("y"), putOnce("x")), inFlight(event("a", 2)))))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining(
                        "The condition of item 1 (of table " + bench.test().target() + ")")
                .hasMessageContaining("for event 2 of 'a' did not hold; nothing was stored");
        assertThat(exists("y")).isFalse();
        assertThat(rows("a").values()).containsExactly(new LastProcessed("a", 1, TestEvents.timestamp(1)));
    }

    @Test
    void secondActionOnTheSameItem_isAClearErrorAndStoresNothing() {
        assertThatThrownBy(() ->
                        await(transactions().store(List.of(put("x"), put("y"), put("x")), inFlight(event("a", 1)))))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("The 3 items that the handler returned for event 1 of 'a'")
                .hasMessageContaining("nothing was stored")
                .hasMessageContaining("multiple operations on one item");
        assertThat(exists("x")).isFalse();
        assertThat(rows("a")).isEmpty();
    }

    @Test
    void storedBefore_alsoIfTheHandlersConditionFailsBecauseOfThat_isToldAsProcessed() {
        try (WarningsOf warnings = new WarningsOf(Transactions.class)) {
            await(transactions().store(List.of(putOnce("x")), inFlight(event("a", 1))));
            assertThat(await(transactions().store(List.of(putOnce("x")), inFlight(event("a", 1)))))
                    .hasSize(1);
            assertThat(warnings.messages())
                    .containsExactly(name
                            + ": event 1 of 'a' was stored before, by an attempt whose answer was lost or by another"
                            + " running instance of this projection; it is not stored twice.");
        }
    }

    @Test
    void rowThatHasExpiredAndIsStillThere_stillFences() {
        Instant then = Instant.ofEpochSecond(1_000);
        await(bench.expiring(name, Duration.ofMinutes(1), () -> then)
                .save(List.of(new LastProcessed("a", 3, TestEvents.timestamp(3))), SetOffsets.NONE));
        OffsetTable later = bench.expiring(name, Duration.ofMinutes(1), () -> then.plusSeconds(100));
        try (WarningsOf warnings = new WarningsOf(Transactions.class)) {
            assertThat(await(new Transactions<EventEnvelope<String>>(name, later, progress)
                            .store(List.of(put("x")), inFlight(event("a", 3)))))
                    .hasSize(1);
            assertThat(warnings.messages()).hasSize(1);
        }
        assertThat(exists("x")).isFalse();
    }

    @Test
    void entityThatBeginsAnew_replacesItsRowOnce_andOnlyOneThatIsOldEnough() {
        table = bench.resetting(name, Duration.ofMillis(1));
        await(table.save(List.of(new LastProcessed("a", 5, 50)), SetOffsets.NONE));
        List<InFlight<EventEnvelope<String>>> first = inFlight(event("a", 1, 5_000));
        assertThat(await(transactions().store(List.of(put("x")), first))).isEmpty();
        try (WarningsOf warnings = new WarningsOf(Transactions.class)) {
            assertThat(await(transactions().store(List.of(put("x")), first))).hasSize(1);
            assertThat(warnings.messages()).hasSize(1);
        }
        await(table.save(List.of(new LastProcessed("a", 6, 4_000)), SetOffsets.NONE));
        assertThatThrownBy(() -> await(transactions().store(List.of(put("y")), first)))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("The progress of event 1 of 'a' was changed by somebody else");
        assertThat(exists("y")).isFalse();
    }

    @Test
    void entityThatHasBegunAnew_isNotTakenBackByAHigherNumberOfItsEarlierLife() {
        table = bench.resetting(name, Duration.ofMillis(1));
        await(transactions().store(List.of(put("x")), inFlight(event("a", 1, 5_000))));
        assertThatThrownBy(() -> await(transactions().store(List.of(put("y")), inFlight(event("a", 6, 60)))))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("The progress of event 6 of 'a' was changed by somebody else");
        assertThat(exists("y")).isFalse();
        assertThat(await(transactions().store(List.of(put("z")), inFlight(event("a", 2, 5_001)))))
                .isEmpty();
    }

    /** Runs a handler for events, and returns the failure. */
    private Optional<Throwable> run(
            List<EventEnvelope<String>> events,
            Function<EventEnvelope<String>, CompletionStage<Collection<TransactWriteItem>>> handler) {
        TestEvents source = new TestEvents(0, 0).bring(events);
        DeliveryModes<EventEnvelope<String>> mode = TestBench.transacting(handler, 1);
        return bench.run(name, source, mode, table, How.plain())
                .handle((done, thrown) -> Optional.ofNullable(thrown))
                .toCompletableFuture()
                .join();
    }

    @ParameterizedTest
    @ValueSource(strings = {"throws", "null stage", "null", "fails", "null item", "too many"})
    void handlersThatAreWrong_failWithTheEventsNameAndStoreNothing(String wrong) {
        try (WarningsOf quiet = new WarningsOf(PekkoRecovery.class)) {
            Optional<Throwable> failure = run(List.of(event("a", 1), event("a", 2)), event -> {
                if (event.sequenceNr() == 1) {
                    return CompletableFuture.completedFuture(List.of(put("x1")));
                }
                return switch (wrong) {
                    case "throws" -> throw new IllegalStateException("event 2 of 'a' is wrong");
                    case "null stage" -> null;
                    case "null" -> CompletableFuture.completedFuture(null);
                    case "fails" ->
                        CompletableFuture.failedFuture(new IllegalStateException("event 2 of 'a' is wrong"));
                    case "null item" -> CompletableFuture.completedFuture(Collections.singletonList(null));
                    default -> CompletableFuture.completedFuture(puts(100));
                };
            });
            assertThat(failure).isPresent();
            assertThat(failure.get()).hasMessageContaining("event 2 of 'a'");
            assertThat(quiet.messages()).isNotNull();
        }
        assertThat(rows("a").values()).containsExactly(new LastProcessed("a", 1, TestEvents.timestamp(1)));
    }

    @Test
    void groupTooLargeForATransaction_isHalvedUntilItFits() {
        List<List<String>> calls = Collections.synchronizedList(new ArrayList<>());
        List<EventEnvelope<String>> events = LongStream.rangeClosed(1, 8)
                .mapToObj(number -> event("a", number))
                .toList();
        DeliveryModes<EventEnvelope<String>> mode = TestBench.transactingGroups(group -> {
            calls.add(group.stream().map(EventEnvelope::getEvent).toList());
            List<TransactWriteItem> items = new ArrayList<>();
            group.forEach(event -> IntStream.range(0, 40).forEach(i -> items.add(put(event.sequenceNr() + "-" + i))));
            return CompletableFuture.completedFuture(items);
        });
        await(bench.run(
                name,
                new TestEvents(0, 0).bring(events),
                mode,
                table,
                How.plain().groups(8)));
        assertThat(calls.stream().map(call -> String.join("", call)))
                .containsExactly("12345678", "1234", "12", "34", "5678", "56", "78");
        assertThat(bench.proxy().requests().operations())
                .filteredOn(operation -> operation.startsWith("Transact"))
                .containsExactlyElementsOf(Collections.nCopies(4, "TransactWriteItems(81)"));
        assertThat(rows("a").values()).containsExactly(new LastProcessed("a", 8, TestEvents.timestamp(8)));
    }

    private TransactWriteItem large(EventEnvelope<String> event) {
        return TransactWriteItem.builder()
                .put(put -> put.tableName(bench.test().target())
                        .item(Map.of(
                                "id",
                                AttributeValue.fromS(name + " large-" + event.sequenceNr()),
                                "body",
                                AttributeValue.fromS("x".repeat(390_000)))))
                .build();
    }

    @Test
    void groupAboveFourMegabytes_isHalvedUntilItFits() {
        List<Integer> calls = Collections.synchronizedList(new ArrayList<>());
        List<EventEnvelope<String>> events = LongStream.rangeClosed(1, 12)
                .mapToObj(number -> event("a", number))
                .toList();
        DeliveryModes<EventEnvelope<String>> mode = TestBench.transactingGroups(group -> {
            calls.add(group.size());
            return CompletableFuture.completedFuture(
                    group.stream().map(this::large).toList());
        });
        await(bench.run(
                name,
                new TestEvents(0, 0).bring(events),
                mode,
                table,
                How.plain().groups(12)));
        assertThat(calls).containsExactly(12, 6, 6);
        assertThat(rows("a").values()).containsExactly(new LastProcessed("a", 12, TestEvents.timestamp(12)));
        assertThat(exists("large-1")).isTrue();
        assertThat(exists("large-12")).isTrue();
    }

    @Test
    void groupThatIsRefused_isHalvedDownToTheEventAtFault_andTheOthersBeforeItAreStored() {
        bench.proxy()
                .on(
                        RequestMatch.operation("TransactWriteItems")
                                .where(request -> request.body().toString().contains(name + " x3\"")),
                        Fault.cancelTransaction("ValidationError"));
        List<EventEnvelope<String>> events = LongStream.rangeClosed(1, 4)
                .mapToObj(number -> event("a", number))
                .toList();
        List<Integer> calls = Collections.synchronizedList(new ArrayList<>());
        DeliveryModes<EventEnvelope<String>> mode = TestBench.transactingGroups(group -> {
            calls.add(group.size());
            return CompletableFuture.completedFuture(
                    group.stream().map(event -> put("x" + event.getEvent())).toList());
        });
        try (WarningsOf handlers = new WarningsOf(PekkoRecovery.class)) {
            assertThatThrownBy(() -> await(bench.run(
                            name,
                            new TestEvents(0, 0).bring(events),
                            mode,
                            table,
                            How.plain().groups(4))))
                    .isInstanceOf(VarveException.class)
                    .hasMessageContaining("The 1 items that the handler returned for event 3 of 'a' cannot be stored");
            assertThat(handlers.messages()).isNotNull();
        }
        assertThat(halvings.messages())
                .filteredOn(message -> message.startsWith(name + "-0: groups are halved"))
                .hasSize(1);
        assertThat(calls).containsExactly(4, 2, 2, 1);
        assertThat(rows("a").values()).containsExactly(new LastProcessed("a", 2, TestEvents.timestamp(2)));
        assertThat(exists("x4")).isFalse();
    }

    @Test
    void groupWithOneEventOfTooManyItems_storesTheOthersBeforeItAndNamesIt() {
        DeliveryModes<EventEnvelope<String>> mode = TestBench.transactingGroups(group -> {
            List<TransactWriteItem> items = new ArrayList<>();
            group.forEach(event -> IntStream.range(0, event.sequenceNr() == 3 ? 120 : 1)
                    .forEach(i -> items.add(put(event.sequenceNr() + "-" + i))));
            return CompletableFuture.completedFuture(items);
        });
        List<EventEnvelope<String>> events = LongStream.rangeClosed(1, 4)
                .mapToObj(number -> event("a", number))
                .toList();
        try (WarningsOf quiet = new WarningsOf(PekkoRecovery.class)) {
            assertThatThrownBy(() -> await(bench.run(
                            name,
                            new TestEvents(0, 0).bring(events),
                            mode,
                            table,
                            How.plain().groups(4))))
                    .isInstanceOf(VarveException.class)
                    .hasMessageContaining("returned 120 items for event 3 of 'a'");
            assertThat(quiet.messages()).isNotNull();
        }
        assertThat(rows("a").values()).containsExactly(new LastProcessed("a", 2, TestEvents.timestamp(2)));
    }

    @Test
    void groupOfMoreThanAHundredEntities_isHalved() {
        List<EventEnvelope<String>> events =
                IntStream.range(0, 120).mapToObj(i -> event("e" + i, 1)).toList();
        await(bench.run(
                name,
                new TestEvents(0, 0).bring(events),
                bench.exactlyOnceGrouped(name),
                table,
                How.plain().groups(120)));
        assertThat(events.stream().map(EventEnvelope::persistenceId).collect(Collectors.toSet()))
                .allSatisfy(id -> assertThat(bench.applied(name, id)).containsExactly(1L));
        assertThat(bench.proxy().requests().operations())
                .filteredOn(operation -> operation.startsWith("Transact"))
                .containsExactlyElementsOf(Collections.nCopies(4, "TransactWriteItems(60)"));
    }

    @Test
    void progressThatSomebodyElseChanged_failsTheProjection_andIsNotSkipped() {
        bench.proxy()
                .on(
                        RequestMatch.operation("TransactWriteItems").times(1),
                        Fault.cancelTransaction("None", "ConditionalCheckFailed"));
        TestEvents source = new TestEvents(0, 0).bring(List.of(event("a", 1), event("a", 2)));
        How skipping = How.plain().recovering(HandlerRecoveryStrategy.skip());
        assertThatThrownBy(() -> await(bench.run(name, source, bench.exactlyOnce(name, 1), table, skipping)))
                .hasMessageContaining("The progress of event 1 of 'a' was changed by somebody else");
        assertThat(bench.applied(name, "a")).isEmpty();
        await(bench.run(name, source, bench.exactlyOnce(name, 1), table, skipping));
        assertThat(bench.applied(name, "a")).containsExactly(1L, 2L);
    }

    @Test
    void throttlingConflictsAndLostAnswers_areWaitedOutBelowTheRecoveryStrategy() {
        RequestMatch transaction = RequestMatch.operation("TransactWriteItems");
        bench.proxy().on(transaction.times(1), Fault.cancelTransaction("None", "ThrottlingError"));
        bench.proxy().on(transaction.times(2), Fault.cancelTransaction("TransactionConflict"));
        bench.proxy().on(transaction.times(1), Fault.transactionInProgress());
        bench.proxy().on(transaction.times(1), Fault.throttle(ThrottleCode.THROTTLING));
        bench.proxy().on(transaction.times(1), Fault.resetAfter());
        bench.proxy().on(RequestMatch.operation("BatchGetItem").times(2), Fault.internalServerError());
        bench.proxy().on(RequestMatch.operation("BatchWriteItem").times(2), Fault.unprocessed());
        List<String> handled = Collections.synchronizedList(new ArrayList<>());
        Optional<Throwable> failure;
        try (WarningsOf warnings = new WarningsOf(Transactions.class)) {
            failure = run(List.of(event("a", 1), event("a", 2)), event -> {
                handled.add(event.getEvent());
                return CompletableFuture.completedFuture(bench.changes(name, List.of(event)));
            });
            assertThat(warnings.messages()).isEmpty();
        }
        assertThat(failure).isEmpty();
        assertThat(handled).containsExactly("1", "2");
        assertThat(bench.applied(name, "a")).containsExactly(1L, 2L);
    }

    @Test
    void unprocessedOffsets_areSavedBelowTheRecoveryStrategy() {
        bench.proxy().on(RequestMatch.operation("BatchWriteItem").times(1), Fault.unprocessed(2));
        bench.proxy().on(RequestMatch.operation("BatchWriteItem").times(1), Fault.throttle(ThrottleCode.THROTTLING));
        TestBench.Notes notes = new TestBench.Notes();
        List<EventEnvelope<String>> events =
                IntStream.range(0, 4).mapToObj(i -> event("e" + i, 1)).toList();
        await(bench.run(
                name,
                new TestEvents(0, 0).bring(events),
                notes.atLeastOnce(),
                table,
                How.plain().recovering(HandlerRecoveryStrategy.fail())));
        assertThat(notes.handled()).containsExactly("e0 1", "e1 1", "e2 1", "e3 1");
        assertThat(rows("e0", "e1", "e2", "e3")).hasSize(4);
    }
}
