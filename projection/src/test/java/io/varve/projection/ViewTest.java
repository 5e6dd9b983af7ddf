package io.varve.projection;

import static io.varve.projection.TestBench.await;
import static io.varve.projection.TestEvents.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.projection.TestBench.How;
import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.projection.internal.retry.ProgressChangedException;
import io.varve.projection.internal.view.EntityItems;
import io.varve.projection.internal.view.ItemModes;
import io.varve.projection.internal.view.ItemProgress;
import io.varve.store.VarveException;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.SliceOffset;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.ThrottleCode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.apache.pekko.Done;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Views: a fold of each entity's events, in one item with its progress. */
class ViewTest {
    private static final RequestMatch WRITE = RequestMatch.operation("UpdateItem", "PutItem");

    private static TestBench bench;
    private static FaultProxy otherProxy;
    private static DynamoDbAsyncClient otherClient;

    private final String name = TestBench.freshName();
    private final String a = TestEvents.ofSlice(5, 2).get(0);
    private final String b = TestEvents.ofSlice(5, 2).get(1);

    @BeforeAll
    static void start() {
        bench = new TestBench();
        otherProxy = FaultProxy.start(DynamoDBLocal.shared().endpoint());
        otherClient = otherProxy.client();
    }

    @AfterAll
    static void stop() {
        otherClient.close();
        otherProxy.close();
        bench.close();
    }

    @BeforeEach
    void forgetRequests() {
        bench.proxy().requests().clear();
    }

    @AfterEach
    void clear() {
        bench.proxy().clear();
        otherProxy.clear();
    }

    /** Lists the numbers of the events. An event "remove" removes the item, one "fail" makes it fail. */
    private static class Listing extends ViewHandler<List<Long>, String> {
        private static final List<Long> REMOVED = List.of(-1L);
        private final List<Long> applied;

        Listing(List<Long> applied) {
            this.applied = applied;
        }

        @Override
        public List<Long> emptyState() {
            return List.of();
        }

        @Override
        public List<Long> apply(List<Long> state, EventEnvelope<String> envelope) {
            applied.add(envelope.sequenceNr());
            if (envelope.getEvent().equals("remove")) {
                return REMOVED;
            }
            if (envelope.getEvent().equals("fail")) {
                throw new IllegalStateException("cannot apply this");
            }
            List<Long> next = new ArrayList<>(state);
            next.add(envelope.sequenceNr());
            return next;
        }

        @Override
        public boolean isRemoved(List<Long> state) {
            return state.equals(REMOVED);
        }
    }

    /** The list, and if it is long how long it is. */
    private static final class ListCodec implements ItemCodec<List<Long>> {
        @Override
        public Map<String, AttributeValue> encode(List<Long> state) {
            Map<String, AttributeValue> attributes = new HashMap<>();
            attributes.put(
                    "events",
                    AttributeValue.fromL(state.stream()
                            .map(number -> AttributeValue.fromN(number.toString()))
                            .toList()));
            if (state.size() == 2) {
                attributes.put("two", AttributeValue.fromBool(true));
            }
            return attributes;
        }

        @Override
        public List<Long> decode(Map<String, AttributeValue> attributes) {
            return value(attributes, "events").l().stream()
                    .map(number -> Long.valueOf(number.n()))
                    .toList();
        }
    }

    private ItemTable items() {
        return ItemTable.of(bench.test().target(), id -> Map.of("id", AttributeValue.fromS(name + " " + id)));
    }

    private final List<Long> applied = Collections.synchronizedList(new ArrayList<>());

    private DeliveryModes<EventEnvelope<String>> view(DynamoDbAsyncClient through, ItemTable table) {
        return new ItemModes(table, bench.gateway(through, Duration.ofSeconds(30)))
                .view(new ListCodec(), () -> new Listing(applied));
    }

    private DeliveryModes<EventEnvelope<String>> view() {
        return view(bench.client(), items());
    }

    private static How how(String settings) {
        UnaryOperator<DynamoDBProjectionSettings> with =
                bench.with("pekko.projection.dynamodb { offset-store.slice-flush-interval = 1h\n" + settings + " }");
        return new How(with, HandlerRecoveryStrategy.fail(), 25, 20);
    }

    /** Nothing is read ahead, although the events of these tests are old. */
    private static How byArrival() {
        return how("view.read-ahead-after = off");
    }

    private TestEvents journal() {
        return new TestEvents(5, 5);
    }

    private void run(TestEvents events, How how) {
        await(bench.run(name, events, view(), bench.table(name), how));
    }

    private static List<EventEnvelope<String>> events(String persistenceId, long first, long last) {
        return LongStream.rangeClosed(first, last)
                .mapToObj(number -> event(persistenceId, number))
                .toList();
    }

    private static EventEnvelope<String> text(String persistenceId, long number, String text) {
        return TestEvents.withText(event(persistenceId, number), text);
    }

    private Map<String, AttributeValue> item(String persistenceId) {
        return bench.test()
                .client()
                .getItem(get -> get.tableName(bench.test().target())
                        .key(items().key().apply(persistenceId))
                        .consistentRead(true))
                .join()
                .item();
    }

    private void change(String persistenceId, String expression, Map<String, AttributeValue> values) {
        bench.test()
                .client()
                .updateItem(update -> {
                    update.tableName(bench.test().target())
                            .key(items().key().apply(persistenceId))
                            .updateExpression(expression);
                    if (!values.isEmpty()) {
                        update.expressionAttributeValues(values);
                    }
                })
                .join();
    }

    private static AttributeValue value(Map<String, AttributeValue> attributes, String name) {
        return Objects.requireNonNull(attributes.get(name), name);
    }

    private void deleteItem(String persistenceId) {
        bench.test()
                .client()
                .deleteItem(delete -> delete.tableName(bench.test().target())
                        .key(items().key().apply(persistenceId)))
                .join();
    }

    private List<Long> listed(String persistenceId) {
        return bench.applied(name, persistenceId);
    }

    private List<String> writes() {
        return bench.proxy().requests().operations().stream()
                .filter(operation -> !operation.contains("Get") && !operation.startsWith("BatchWrite"))
                .toList();
    }

    @Test
    void eventsOfAnEntity_areFoldedIntoItsItem() {
        run(journal().bring(events(a, 1, 3)).bring(events(b, 1, 2)), byArrival());
        assertThat(listed(a)).containsExactly(1L, 2L, 3L);
        assertThat(listed(b)).containsExactly(1L, 2L);
        assertThat(item(a)).doesNotContainKey("two");
        assertThat(item(b)).containsKey("two");
        assertThat(value(item(a), "varve-" + name).m())
                .containsEntry("seq_nr", AttributeValue.fromN("3"))
                .containsEntry("pid", AttributeValue.fromS(a))
                .containsEntry("ts", AttributeValue.fromN(Long.toString(TestEvents.timestamp(3))))
                .containsEntry("epoch", AttributeValue.fromN("0"));
    }

    @Test
    void whatWaitsOfAnEntity_isOneWrite() {
        Gate gate = bench.proxy().hold(WRITE.times(1));
        CompletionStage<Done> done =
                bench.run(name, journal().bring(events(a, 1, 50)), view(), bench.table(name), byArrival());
        gate.awaitArrival();
        gate.releaseAll();
        await(done);
        assertThat(listed(a)).hasSize(50).isSorted();
        assertThat(writes()).hasSizeBetween(2, 3).allMatch("UpdateItem"::equals);
    }

    @Test
    void rebuild_readsWhatFollows_andIsOneWriteForAnEntity() {
        TestEvents journal = journal();
        for (long number = 1; number <= 50; number++) {
            journal.bring(List.of(event(a, number), event(b, number, TestEvents.timestamp(number) + 1)));
        }
        run(journal, how(""));
        assertThat(listed(a)).hasSize(50).isSorted();
        assertThat(listed(b)).hasSize(50).isSorted();
        assertThat(writes()).containsExactly("UpdateItem", "UpdateItem");
    }

    @Test
    void whatWasReadAhead_isNotAppliedWhenItComes_alsoAfterARestart() {
        run(journal().store(a, 1, 10).bring(events(a, 1, 1)), how(""));
        assertThat(listed(a)).hasSize(10);
        bench.proxy().requests().clear();
        run(journal().bring(events(a, 2, 11)), byArrival());
        assertThat(listed(a)).hasSize(11).isSorted();
        assertThat(writes()).hasSize(1);
    }

    @Test
    void eventsThatComeAgain_areNotAppliedAgain() {
        run(journal().bring(events(a, 1, 3)), byArrival());
        run(journal().bringLate(events(a, 1, 5)), byArrival());
        assertThat(listed(a)).containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    @Test
    void missingEvents_areReadFromTheJournal() {
        run(journal().bring(events(a, 1, 1)), byArrival());
        run(journal().store(a, 1, 4).bring(events(a, 5, 5)), byArrival());
        assertThat(listed(a)).containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    @Test
    void answerLost_ownWriteIsRecognised() {
        bench.proxy().on(WRITE.times(1), Fault.resetAfter());
        run(journal().bring(events(a, 1, 3)), byArrival());
        assertThat(listed(a)).containsExactly(1L, 2L, 3L);
        assertThat(applied).containsExactly(1L, 2L, 3L);
    }

    @Test
    void answerLostUntilTheBudgetEnds_ownWriteIsRecognised() {
        bench.proxy().on(WRITE.times(1), Fault.resetAfter());
        bench.proxy().on(WRITE.skip(1).times(30), Fault.throttle(ThrottleCode.THROTTLING));
        DeliveryModes<EventEnvelope<String>> impatient = new ItemModes(
                        items(), bench.gateway(bench.client(), Duration.ofMillis(50)))
                .view(new ListCodec(), () -> new Listing(applied));
        await(bench.run(name, journal().bring(events(a, 1, 3)), impatient, bench.table(name), byArrival()));
        assertThat(listed(a)).containsExactly(1L, 2L, 3L);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void twoInstances_applyEachEventOnce(long seed) {
        Random random = new Random(seed);
        List<EventEnvelope<String>> events = new ArrayList<>();
        Map<String, Long> numbers = new HashMap<>();
        for (int i = 0; i < 40; i++) {
            String id = random.nextBoolean() ? a : b;
            events.add(event(id, numbers.merge(id, 1L, Long::sum), 1_000 + i));
        }
        List<Gate> gates = List.of(bench.proxy().hold(WRITE), otherProxy.hold(WRITE));
        OffsetTable otherTable = bench.table(otherClient, name, Duration.ofSeconds(30));
        try (WarningsOf warnings = new WarningsOf(EntityItems.class)) {
            CompletionStage<Done> one =
                    bench.run(name, journal().bring(events), view(), bench.table(name), byArrival());
            CompletionStage<Done> other = bench.run(
                    name, journal().bring(events), view(otherClient, items()), otherTable, how("view.parallelism = 1"));
            gates.forEach(Gate::awaitArrival);
            for (int i = 0; i < 20; i++) {
                gates.get(random.nextInt(2)).release();
            }
            gates.forEach(Gate::releaseAll);
            await(one);
            await(other);
            assertThat(warnings.messages())
                    .isNotEmpty()
                    .allMatch(message -> message.contains("another running instance of this projection"));
        }
        assertThat(listed(a))
                .isEqualTo(LongStream.rangeClosed(1, numbers.getOrDefault(a, 0L))
                        .boxed()
                        .toList());
        assertThat(listed(b))
                .isEqualTo(LongStream.rangeClosed(1, numbers.getOrDefault(b, 0L))
                        .boxed()
                        .toList());
    }

    @Test
    void removedItem_leavesItsKeyForADay_andBeginsAnewWithTheNextEvent() {
        run(journal().bring(events(a, 1, 2)).bring(List.of(text(a, 3, "remove"))), byArrival());
        assertThat(item(a)).containsOnlyKeys("id", "varve-" + name, "expires");
        assertThat(Instant.ofEpochSecond(
                        Long.parseLong(value(item(a), "expires").n())))
                .isAfter(Instant.now().plus(Duration.ofHours(23)));
        run(journal().store(a, 1, 3).bring(events(a, 4, 4)), byArrival());
        assertThat(listed(a)).containsExactly(4L);
        assertThat(item(a)).doesNotContainKey("expires");
    }

    @Test
    void removedAndNeededAgainInOneFold_holdsWhatCameAfter() {
        run(
                journal()
                        .bring(events(a, 1, 2))
                        .bring(List.of(text(a, 3, "remove")))
                        .bring(events(a, 4, 5)),
                how(""));
        assertThat(listed(a)).containsExactly(4L, 5L);
    }

    @Test
    void removedItem_isNotBroughtBackByAnInstanceThatWasReplaced() {
        List<EventEnvelope<String>> events = new ArrayList<>(events(a, 1, 2));
        events.add(text(a, 3, "remove"));
        Gate gate = otherProxy.hold(WRITE.times(1));
        CompletionStage<Done> late = bench.run(
                name,
                journal().bring(events.subList(0, 2)),
                view(otherClient, items()),
                bench.table(otherClient, name, Duration.ofSeconds(30)),
                byArrival());
        gate.awaitArrival();
        run(journal().bring(events), byArrival());
        gate.releaseAll();
        await(late);
        assertThat(item(a)).containsOnlyKeys("id", "varve-" + name, "expires");
    }

    @Test
    void expiredKeyOfARemovedItem_isRemovedAgainWhenItsEventsComeAgain() {
        List<EventEnvelope<String>> events = new ArrayList<>(events(a, 1, 2));
        events.add(text(a, 3, "remove"));
        run(journal().bring(events), byArrival());
        deleteItem(a);
        TestEvents again = journal().bringLate(events.subList(2, 3));
        events.forEach(again::store);
        run(again, byArrival());
        assertThat(item(a)).containsOnlyKeys("id", "varve-" + name, "expires");
    }

    @Test
    void attributesOfOthers_stay() {
        run(journal().bring(events(a, 1, 2)), byArrival());
        change(a, "SET note = :note", Map.of(":note", AttributeValue.fromS("mine")));
        run(journal().bring(events(a, 3, 3)), byArrival());
        assertThat(item(a)).containsEntry("note", AttributeValue.fromS("mine")).doesNotContainKey("two");
        assertThat(listed(a)).containsExactly(1L, 2L, 3L);
    }

    @Test
    void fenceOfALaterVersion_withMoreInIt_isNoObstacle() {
        run(journal().bring(events(a, 1, 2)), byArrival());
        Map<String, AttributeValue> fence =
                new HashMap<>(value(item(a), "varve-" + name).m());
        fence.put("more", AttributeValue.fromS("from the future"));
        bench.test()
                .client()
                .updateItem(update -> update.tableName(bench.test().target())
                        .key(items().key().apply(a))
                        .updateExpression("SET #fence = :fence")
                        .expressionAttributeNames(Map.of("#fence", "varve-" + name))
                        .expressionAttributeValues(Map.of(":fence", AttributeValue.fromM(fence))))
                .join();
        run(journal().bring(events(a, 3, 3)), byArrival());
        assertThat(listed(a)).containsExactly(1L, 2L, 3L);
    }

    @Test
    void itemDeletedByHand_isMadeAnewFromTheFirstEvent() {
        run(journal().bring(events(a, 1, 2)), byArrival());
        deleteItem(a);
        run(journal().store(a, 1, 2).bring(events(a, 3, 3)), byArrival());
        assertThat(listed(a)).containsExactly(1L, 2L, 3L);
    }

    @Test
    void itemDeletedByHandWhileItIsInMemory_startsTheProjectionAgain() {
        bench.proxy().on(WRITE.skip(1).times(1), Fault.runBefore(request -> deleteItem(a)));
        Gate gate = bench.proxy().hold(WRITE.times(1));
        CompletionStage<Done> stream =
                bench.run(name, journal().bring(events(a, 1, 3)), view(), bench.table(name), byArrival());
        gate.awaitArrival();
        gate.releaseAll();
        assertThatThrownBy(() -> await(stream))
                .isInstanceOf(ProgressChangedException.class)
                .hasMessageContaining("'" + a + "'")
                .hasMessageContaining(bench.test().target());
        run(journal().store(a, 1, 3).bring(events(a, 1, 3)), byArrival());
        assertThat(listed(a)).containsExactly(1L, 2L, 3L);
    }

    @Test
    void oneEventThatFails_isSkippedAlone() {
        TestEvents journal = journal()
                .bring(events(a, 1, 3))
                .bring(List.of(text(a, 4, "fail")))
                .bring(events(a, 5, 6))
                .bring(events(b, 1, 2));
        await(bench.run(
                name, journal, view(), bench.table(name), byArrival().recovering(HandlerRecoveryStrategy.skip())));
        assertThat(listed(a)).containsExactly(1L, 2L, 3L, 5L, 6L);
        assertThat(listed(b)).containsExactly(1L, 2L);
    }

    @Test
    void eventThatFails_whatWasBeforeItIsStored() {
        TestEvents journal = journal().bring(events(a, 1, 3)).bring(List.of(text(a, 4, "fail")));
        assertThatThrownBy(() -> run(journal, how("")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("cannot apply this");
        assertThat(listed(a)).containsExactly(1L, 2L, 3L);
    }

    @Test
    void firstEventIsSkipped_theItemIsNotThere_butItIsNotAppliedLater() {
        How skipping = byArrival().recovering(HandlerRecoveryStrategy.skip());
        await(bench.run(name, journal().bring(List.of(text(a, 1, "fail"))), view(), bench.table(name), skipping));
        assertThat(item(a)).containsOnlyKeys("id", "varve-" + name, "expires");
        run(journal().bringLate(List.of(text(a, 1, "1"))).bringLate(events(a, 2, 2)), byArrival());
        assertThat(listed(a)).containsExactly(2L);
    }

    @Test
    void droppedEvents_needNoWrite() {
        TestEvents journal = journal().bring(events(a, 1, 1));
        journal.storeDropped(event(a, 2)).bring(List.of(event(a, 2)));
        run(journal, byArrival());
        assertThat(writes()).hasSize(1);
        bench.proxy().requests().clear();
        run(journal().storeDropped(event(a, 2)).bring(events(a, 3, 3)), byArrival());
        assertThat(listed(a)).containsExactly(1L, 3L);
    }

    @Test
    void cleared_allItemsAreMadeAnew() {
        run(journal().bring(events(a, 1, 4)), byArrival());
        change(a, "SET events = :wrong, stale = :wrong", Map.of(":wrong", AttributeValue.fromL(List.of())));
        await(bench.table(name).clear(5, 5));
        run(journal().bring(events(a, 1, 4)), byArrival());
        assertThat(listed(a)).containsExactly(1L, 2L, 3L, 4L);
        assertThat(item(a)).doesNotContainKey("stale");
    }

    @Test
    void setBack_itemsThatReflectMoreAreMadeAnewFromTheFirstEvent() {
        run(journal().bring(events(a, 1, 4)).bring(events(b, 1, 1)), byArrival());
        long third = TestEvents.timestamp(3);
        await(bench.table(name).set(Map.of(5, new SliceOffset(third, Map.of(), third))));
        applied.clear();
        run(
                journal().store(a, 1, 4).store(b, 1, 1).bring(events(a, 3, 4)).bring(List.of(event(b, 2, third + 1))),
                byArrival());
        assertThat(listed(a)).containsExactly(1L, 2L, 3L, 4L);
        assertThat(listed(b)).containsExactly(1L, 2L);
        assertThat(applied).containsExactlyInAnyOrder(1L, 2L, 3L, 4L, 2L);
    }

    @Test
    void setBack_theFirstEventIsGone_theItemStaysAsItIs() {
        run(journal().bring(events(a, 1, 4)), byArrival());
        await(bench.table(name).clear(5, 5));
        try (WarningsOf warnings = new WarningsOf(ItemProgress.class)) {
            run(journal().store(a, 3, 4).bring(events(a, 3, 5)), byArrival());
            assertThat(warnings.messages()).singleElement().asString().contains("'" + a + "'", "stays as it is");
        }
        assertThat(listed(a)).containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    @Test
    void setForward_whatIsBeforeCountsAsProcessed() {
        long third = TestEvents.timestamp(3);
        await(bench.table(name).set(Map.of(5, new SliceOffset(third, Map.of(), third))));
        run(journal().store(a, 1, 2).bring(events(a, 3, 4)), byArrival());
        assertThat(listed(a)).containsExactly(3L, 4L);
    }

    @Test
    void instanceFromBeforeTheOffsetWasSet_endsWhenItMeetsAnItemThatWasMadeAnew() {
        run(journal().bring(events(a, 1, 4)), byArrival());
        Gate gate = otherProxy.hold(WRITE.times(1));
        CompletionStage<Done> old = bench.run(
                name,
                journal().bring(events(a, 5, 6)),
                view(otherClient, items()),
                bench.table(otherClient, name, Duration.ofSeconds(30)),
                byArrival());
        gate.awaitArrival();
        await(bench.table(name).clear(5, 5));
        run(journal().bring(events(a, 1, 5)), byArrival());
        gate.releaseAll();
        assertThatThrownBy(() -> await(old)).hasMessageContaining("was set by hand");
        assertThat(listed(a)).containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    @Test
    void entityThatBeginsAnew_beginsWithTheEmptyState() {
        How resetting = how("view.read-ahead-after = off\noffset-store.accept-sequence-number-reset-after = 1 s");
        run(journal().bring(events(a, 1, 3)), resetting);
        long later = TestEvents.timestamp(3) + 10_000_000;
        run(journal().bring(List.of(event(a, 1, later), event(a, 2, later + 1))), resetting);
        assertThat(listed(a)).containsExactly(1L, 2L);
        assertThat(item(a)).doesNotContainKey("stale");
    }

    @Test
    void entityThatBeginsAnew_withItsFirstEventsGone_beginsWithTheEmptyState() {
        How resetting = how("view.read-ahead-after = off\noffset-store.accept-sequence-number-reset-after = 1 s");
        run(journal().bring(events(a, 1, 3)), resetting);
        long later = TestEvents.timestamp(3) + 10_000_000;
        run(
                journal().store(event(a, 3, later)).bring(List.of(event(a, 5, later + 1), event(a, 6, later + 2))),
                resetting);
        assertThat(listed(a)).containsExactly(3L, 5L, 6L);
    }

    @Test
    void twoProjectionsOnOneItem_keepTheirOwnAttributes() {
        ItemTable shared = items().withSharedItems();
        await(bench.run(
                name, journal().bring(events(a, 1, 2)), view(bench.client(), shared), bench.table(name), byArrival()));
        String second = TestBench.freshName();
        DeliveryModes<EventEnvelope<String>> other = new ItemModes(
                        shared, bench.gateway(bench.client(), Duration.ofSeconds(30)))
                .view(new CountCodec(), Counting::new);
        List<EventEnvelope<String>> three = new ArrayList<>(events(a, 1, 2));
        three.add(text(a, 3, "remove"));
        await(bench.run(second, journal().bring(three), other, bench.table(second), byArrival()));
        assertThat(value(item(a), "count").n()).isEqualTo("3");
        await(bench.run(
                name,
                journal().store(a, 1, 2).bring(three.subList(2, 3)),
                view(bench.client(), shared),
                bench.table(name),
                byArrival()));
        assertThat(item(a)).containsOnlyKeys("id", "varve-" + name, "varve-" + second, "count");
        assertThatThrownBy(() -> run(journal().store(a, 1, 3).bring(events(a, 4, 4)), byArrival()))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("varve-" + second)
                .hasMessageContaining("shared");
    }

    private static final class Counting extends ViewHandler<Long, String> {
        @Override
        public Long emptyState() {
            return 0L;
        }

        @Override
        public Long apply(Long state, EventEnvelope<String> envelope) {
            return state + 1;
        }
    }

    private static final class CountCodec implements ItemCodec<Long> {
        @Override
        public Map<String, AttributeValue> encode(Long state) {
            return Map.of("count", AttributeValue.fromN(state.toString()));
        }

        @Override
        public Long decode(Map<String, AttributeValue> attributes) {
            return Long.valueOf(value(attributes, "count").n());
        }
    }

    @Test
    void twoEntitiesInOneItem_areRefused() {
        ItemTable one = ItemTable.of(bench.test().target(), id -> Map.of("id", AttributeValue.fromS(name)));
        assertThatThrownBy(() -> await(bench.run(
                        name,
                        journal().bring(events(a, 1, 1)).bring(events(b, 1, 1)),
                        view(bench.client(), one),
                        bench.table(name),
                        byArrival())))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("'" + a + "'")
                .hasMessageContaining("'" + b + "'");
    }

    @Test
    void itemThatIsTooLarge_isAnErrorThatNamesTheEvent() {
        DeliveryModes<EventEnvelope<String>> large = new ItemModes(
                        items(), bench.gateway(bench.client(), Duration.ofSeconds(30)))
                .view(
                        new ItemCodec<>() {
                            @Override
                            public Map<String, AttributeValue> encode(Long state) {
                                return Map.of("text", AttributeValue.fromS("x".repeat((int) (state * 150_000))));
                            }

                            @Override
                            public Long decode(Map<String, AttributeValue> attributes) {
                                return value(attributes, "text").s().length() / 150_000L;
                            }
                        },
                        Counting::new);
        assertThatThrownBy(() ->
                        await(bench.run(name, journal().bring(events(a, 1, 4)), large, bench.table(name), how(""))))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("event 3 of '" + a + "'")
                .hasMessageContaining(bench.test().target());
        assertThat(value(item(a), "text").s()).hasSize(300_000);
    }

    @Test
    void stateOfTooManyAttributes_isAnErrorThatSaysWhatToDo() {
        DeliveryModes<EventEnvelope<String>> wide = new ItemModes(
                        items(), bench.gateway(bench.client(), Duration.ofSeconds(30)))
                .view(
                        new ItemCodec<>() {
                            @Override
                            public Map<String, AttributeValue> encode(Long state) {
                                Map<String, AttributeValue> attributes = new HashMap<>();
                                LongStream.range(0, state * 100)
                                        .forEach(i -> attributes.put("a" + i, AttributeValue.fromN("1")));
                                return attributes;
                            }

                            @Override
                            public Long decode(Map<String, AttributeValue> attributes) {
                                return 0L;
                            }
                        },
                        Counting::new);
        assertThatThrownBy(() ->
                        await(bench.run(name, journal().bring(events(a, 1, 4)), wide, bench.table(name), byArrival())))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("400 attributes")
                .hasMessageContaining("300");
        assertThat(item(a)).hasSize(302);
    }
}
