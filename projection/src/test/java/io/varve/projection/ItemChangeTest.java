package io.varve.projection;

import static io.varve.projection.TestBench.await;
import static io.varve.projection.TestEvents.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.projection.TestBench.How;
import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.projection.internal.view.ItemModes;
import io.varve.store.VarveException;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.apache.pekko.Done;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Exactly once with one change of one item: changes build on what is there, so that each must be applied once and in order. */
class ItemChangeTest {
    private static final RequestMatch WRITE = RequestMatch.operation("UpdateItem", "PutItem");

    private static TestBench bench;
    private static FaultProxy otherProxy;
    private static DynamoDbAsyncClient otherClient;

    private final String name = TestBench.freshName();
    private final String a = TestEvents.ofSlice(5, 2).get(0);

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

    @AfterEach
    void clear() {
        bench.proxy().clear();
        otherProxy.clear();
    }

    private ItemTable items() {
        return ItemTable.of(bench.test().target(), id -> Map.of("id", AttributeValue.fromS(name + " " + id)));
    }

    private static ItemChange append(EventEnvelope<String> event) {
        return ItemChange.update()
                .set("#events = list_append(if_not_exists(#events, :none), :more)")
                .name("#events", "events")
                .value(":none", AttributeValue.fromL(List.of()))
                .value(":more", AttributeValue.fromL(List.of(AttributeValue.fromN(event.getEvent()))));
    }

    private DeliveryModes<EventEnvelope<String>> changing(
            DynamoDbAsyncClient through, ItemTable table, Function<EventEnvelope<String>, ItemChange> handler) {
        return new ItemModes(table, bench.gateway(through, Duration.ofSeconds(30)))
                .changes(() -> DynamoDBItemHandler.fromFunction(handler));
    }

    private void run(TestEvents events, Function<EventEnvelope<String>, ItemChange> handler) {
        run(events, items(), handler, How.plain());
    }

    private void run(TestEvents events, ItemTable table, Function<EventEnvelope<String>, ItemChange> handler, How how) {
        await(bench.run(name, events, changing(bench.client(), table, handler), bench.table(name), how));
    }

    private static TestEvents journal() {
        return new TestEvents(5, 5);
    }

    private static List<EventEnvelope<String>> events(String persistenceId, long first, long last) {
        return LongStream.rangeClosed(first, last)
                .mapToObj(number -> event(persistenceId, number))
                .toList();
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

    private List<Long> listed() {
        return bench.applied(name, a);
    }

    @Test
    void updates_areAppliedOnceAndInOrder() {
        run(journal().bring(events(a, 1, 5)), ItemChangeTest::append);
        run(journal().bringLate(events(a, 1, 7)), ItemChangeTest::append);
        assertThat(listed()).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L);
    }

    @Test
    void answersLost_eachIsAppliedOnce() {
        bench.proxy().on(WRITE.times(3), Fault.resetAfter());
        run(journal().bring(events(a, 1, 5)), ItemChangeTest::append);
        assertThat(listed()).containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void twoInstances_applyEachEventOnce(long seed) {
        Random random = new Random(seed);
        List<EventEnvelope<String>> events = events(a, 1, 20);
        List<Gate> gates = List.of(bench.proxy().hold(WRITE), otherProxy.hold(WRITE));
        CompletionStage<Done> one = bench.run(
                name,
                journal().bring(events),
                changing(bench.client(), items(), ItemChangeTest::append),
                bench.table(name),
                How.plain());
        CompletionStage<Done> other = bench.run(
                name,
                journal().bring(events),
                changing(otherClient, items(), ItemChangeTest::append),
                bench.table(otherClient, name, Duration.ofSeconds(30)),
                How.plain());
        gates.forEach(Gate::awaitArrival);
        for (int i = 0; i < 20; i++) {
            gates.get(random.nextInt(2)).release();
        }
        gates.forEach(Gate::releaseAll);
        await(one);
        await(other);
        assertThat(listed()).isEqualTo(LongStream.rangeClosed(1, 20).boxed().toList());
    }

    @Test
    void putAndDelete_replaceTheItem() {
        run(
                journal().bring(events(a, 1, 3)),
                event -> event.sequenceNr() == 3
                        ? ItemChange.delete()
                        : ItemChange.put(Map.of("n" + event.sequenceNr(), AttributeValue.fromBool(true))));
        assertThat(item(a)).containsOnlyKeys("id", "varve-" + name, "expires");
        run(journal().store(a, 1, 3).bring(events(a, 4, 4)), ItemChangeTest::append);
        assertThat(item(a)).containsOnlyKeys("id", "varve-" + name, "events");
        assertThat(listed()).containsExactly(4L);
    }

    @Test
    void cleared_theItemIsEmptiedBeforeItsEventsAreAppliedAgain() {
        run(journal().bring(events(a, 1, 3)), ItemChangeTest::append);
        await(bench.table(name).clear(5, 5));
        run(journal().bring(events(a, 1, 4)), ItemChangeTest::append);
        assertThat(listed()).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void clearedAndStoppedAfterTheItemWasEmptied_theNextStartBeginsWithTheFirstEvent() {
        run(journal().bring(events(a, 1, 3)), ItemChangeTest::append);
        await(bench.table(name).clear(5, 5));
        assertThatThrownBy(() -> run(journal().bring(events(a, 1, 3)), event -> {
                    throw new IllegalStateException("the node dies");
                }))
                .hasMessage("the node dies");
        assertThat(item(a)).containsOnlyKeys("id", "varve-" + name, "expires");
        run(journal().store(a, 1, 3).bring(events(a, 3, 3)), ItemChangeTest::append);
        assertThat(listed()).containsExactly(1L, 2L, 3L);
    }

    @Test
    void conditionOfTheHandlers_doesNotHold_theEventFails() {
        Function<EventEnvelope<String>, ItemChange> onlyNew = event -> ItemChange.update()
                .set("x = :x")
                .value(":x", AttributeValue.fromBool(true))
                .condition("attribute_not_exists(x)");
        assertThatThrownBy(() -> run(journal().bring(events(a, 1, 2)), onlyNew))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("event 2 of '" + a + "'")
                .hasMessageContaining("condition");
        run(journal().bring(events(a, 2, 3)), items(), onlyNew, How.plain().recovering(HandlerRecoveryStrategy.skip()));
        assertThat(item(a)).containsOnlyKeys("id", "varve-" + name, "x");
        run(journal().bring(events(a, 4, 4)), ItemChangeTest::append);
        assertThat(listed()).containsExactly(4L);
    }

    @Test
    void sharedItems_takeUpdatesOnly() {
        ItemTable shared = items().withSharedItems();
        run(journal().bring(events(a, 1, 1)), shared, ItemChangeTest::append, How.plain());
        for (ItemChange change : List.of(ItemChange.delete(), ItemChange.put(Map.of()))) {
            assertThatThrownBy(() -> run(journal().bring(events(a, 2, 2)), shared, event -> change, How.plain()))
                    .isInstanceOf(VarveException.class)
                    .hasMessageContaining("event 2 of '" + a + "'")
                    .hasMessageContaining("shared");
        }
        assertThat(listed()).containsExactly(1L);
    }

    @Test
    void namesOfVarve_areRefused() {
        assertThatThrownBy(() -> run(
                        journal().bring(events(a, 1, 1)),
                        event -> ItemChange.update()
                                .set("#varveFence = :x")
                                .name("#varveFence", "x")
                                .value(":x", AttributeValue.fromBool(true))))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("#varveFence");
    }

    @Test
    void nullInsteadOfAChange_isAnError() {
        DeliveryModes<EventEnvelope<String>> none = new ItemModes(
                        items(), bench.gateway(bench.client(), Duration.ofSeconds(30)))
                .changes(() -> new DynamoDBItemHandler<EventEnvelope<String>>() {
                    @Override
                    @SuppressWarnings("NullAway")
                    public CompletionStage<ItemChange> process(EventEnvelope<String> envelope) {
                        return null;
                    }
                });
        assertThatThrownBy(() ->
                        await(bench.run(name, journal().bring(events(a, 1, 1)), none, bench.table(name), How.plain())))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("null")
                .hasMessageContaining("event 1 of '" + a + "'");
    }

    @Test
    void updateAfterADelete_thatSetsTheTimeToLiveItself_isStored() {
        run(
                journal().bring(events(a, 1, 3)),
                envelope -> envelope.sequenceNr() == 2
                        ? ItemChange.delete()
                        : ItemChange.update()
                                .set("expires = :time")
                                .value(":time", AttributeValue.fromN("5000000000")));
        assertThat(item(a)).containsEntry("expires", AttributeValue.fromN("5000000000"));
    }

    @Test
    void updateAfterADelete_thatOnlyLooksAtTheTimeToLive_isNotDeletedByIt() {
        run(
                journal().bring(events(a, 1, 3)),
                envelope -> envelope.sequenceNr() == 2
                        ? ItemChange.delete()
                        : append(envelope) instanceof ItemChange.Update update
                                ? update.name("#e", "expires").condition("#e <> :none")
                                : ItemChange.delete());
        assertThat(listed()).containsExactly(3L);
        assertThat(item(a)).doesNotContainKey("expires");
    }
}
