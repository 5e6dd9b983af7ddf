package io.varve.projection;

import static io.varve.projection.TestBench.await;
import static io.varve.projection.TestEvents.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.projection.TestBench.How;
import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.projection.internal.view.ItemModes;
import io.varve.store.internal.offset.SliceOffset;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
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

/** Views where lives, rewinds, dropped events, codecs and instances meet. */
class ViewEdgesTest {
    private static final RequestMatch WRITE = RequestMatch.operation("UpdateItem", "PutItem");
    private static final long LATER = TestEvents.timestamp(3) + 10_000_000;

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

    /** Lists the texts of events. */
    private static class Texts extends ViewHandler<List<String>, String> {
        @Override
        public List<String> emptyState() {
            return List.of();
        }

        @Override
        public List<String> apply(List<String> state, EventEnvelope<String> envelope) {
            if (envelope.getEvent().equals("fail")) {
                throw new IllegalStateException("cannot apply this");
            }
            List<String> next = new ArrayList<>(state);
            next.add(envelope.getEvent());
            return next;
        }
    }

    private static class TextsCodec implements ItemCodec<List<String>> {
        @Override
        public Map<String, AttributeValue> encode(List<String> state) {
            return new HashMap<>(Map.of(
                    "texts",
                    AttributeValue.fromL(
                            state.stream().map(AttributeValue::fromS).toList())));
        }

        @Override
        public List<String> decode(Map<String, AttributeValue> attributes) {
            return Objects.requireNonNull(attributes.get("texts")).l().stream()
                    .map(AttributeValue::s)
                    .toList();
        }
    }

    private ItemTable items() {
        return ItemTable.of(bench.test().target(), id -> Map.of("id", AttributeValue.fromS(name + " " + id)));
    }

    private DeliveryModes<EventEnvelope<String>> view(
            DynamoDbAsyncClient through, ItemTable table, ItemCodec<List<String>> codec) {
        return new ItemModes(table, bench.gateway(through, Duration.ofSeconds(30))).view(codec, Texts::new);
    }

    private DeliveryModes<EventEnvelope<String>> view() {
        return view(bench.client(), items(), new TextsCodec());
    }

    private static How how(String settings) {
        UnaryOperator<DynamoDBProjectionSettings> with =
                bench.with("pekko.projection.dynamodb { offset-store.slice-flush-interval = 1h\n" + settings + " }");
        return new How(with, HandlerRecoveryStrategy.fail(), 25, 20);
    }

    private static How byArrival() {
        return how("view.read-ahead-after = off");
    }

    private static How resetting() {
        return how("view.read-ahead-after = off\noffset-store.accept-sequence-number-reset-after = 1 s");
    }

    private TestEvents journal() {
        return new TestEvents(5, 5);
    }

    private void run(TestEvents events, How how) {
        await(bench.run(name, events, view(), bench.table(name), how));
    }

    private static List<EventEnvelope<String>> events(String id, long first, long last) {
        return LongStream.rangeClosed(first, last).mapToObj(n -> event(id, n)).toList();
    }

    /** Of the second life. */
    private EventEnvelope<String> anew(long number) {
        return TestEvents.withText(event(a, number, LATER + number), "new " + number);
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

    private List<String> texts(String id) {
        AttributeValue texts = item(id).get("texts");
        return texts == null
                ? List.of()
                : texts.l().stream().map(AttributeValue::s).toList();
    }

    @Test
    void entityThatBeginsAnew_withADroppedEvent_beginsWithTheEmptyState() {
        run(journal().bring(events(a, 1, 3)), resetting());
        TestEvents journal = journal();
        journal.storeDropped(anew(1)).bring(List.of(anew(1), anew(2)));
        run(journal, resetting());
        assertThat(texts(a)).containsExactly("new 2");
    }

    @Test
    void entityThatBeginsAnew_withDroppedEventsOnly_hasNoItem() {
        run(journal().bring(events(a, 1, 3)), resetting());
        TestEvents journal = journal();
        journal.storeDropped(anew(1)).bring(List.of(anew(1)));
        run(journal, resetting());
        assertThat(texts(a)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void setBack_eventsFromThereOnAreDroppedNow_theItemIsMadeAnewWithoutThem(boolean partly) {
        run(journal().bring(events(a, 1, 4)), byArrival());
        long to = partly ? TestEvents.timestamp(3) : 0;
        if (partly) {
            await(bench.table(name).set(Map.of(5, new SliceOffset(to, Map.of(), to))));
        } else {
            await(bench.table(name).clear(5, 5));
        }
        TestEvents journal = journal();
        for (long n = 1; n <= 4; n++) {
            if (partly && n < 3) {
                journal.store(event(a, n));
            } else {
                journal.storeDropped(event(a, n)).bring(List.of(event(a, n)));
            }
        }
        run(journal, byArrival());
        assertThat(texts(a)).isEqualTo(partly ? List.of("1", "2") : List.of());
    }

    @Test
    void readAhead_theEntityHasBegunAnewMeanwhile_doesNotMixItsLives() {
        TestEvents journal = journal().bring(events(a, 1, 3));
        journal.bring(LongStream.rangeClosed(1, 5).mapToObj(this::anew).toList());
        run(journal, how("offset-store.accept-sequence-number-reset-after = 1 s"));
        assertThat(texts(a)).containsExactly("new 1", "new 2", "new 3", "new 4", "new 5");
    }

    @Test
    void entityHasBegunAnew_aLateInstanceAddsNothingOfItsEarlierLife() {
        run(journal().bring(events(a, 1, 1)), resetting());
        Gate gate = otherProxy.hold(WRITE.times(1));
        CompletionStage<Done> late = bench.run(
                name,
                journal().bring(events(a, 2, 3)),
                view(otherClient, items(), new TextsCodec()),
                bench.table(otherClient, name, Duration.ofSeconds(30)),
                resetting());
        gate.awaitArrival();
        run(journal().bring(events(a, 1, 3)).bring(List.of(anew(1), anew(2))), resetting());
        gate.releaseAll();
        late.handle((done, thrown) -> done).toCompletableFuture().join();
        assertThat(texts(a)).containsExactly("new 1", "new 2");
    }

    @Test
    void setBack_missingEventsAreNotReplayed_itemsAreStillMadeAnew() {
        run(journal().bring(events(a, 1, 4)), byArrival());
        long third = TestEvents.timestamp(3);
        await(bench.table(name).set(Map.of(5, new SliceOffset(third, Map.of(), third))));
        run(
                journal().store(a, 1, 2).bring(events(a, 3, 5)),
                how("view.read-ahead-after = off\noffset-store.replay-on-rejected-sequence-numbers = off"));
        assertThat(texts(a)).containsExactly("1", "2", "3", "4", "5");
    }

    @Test
    void itemThatCannotBeDecoded_theRecoveryStrategyDecides() {
        run(journal().bring(events(a, 1, 1)), byArrival());
        bench.test()
                .client()
                .updateItem(update -> update.tableName(bench.test().target())
                        .key(items().key().apply(a))
                        .updateExpression("REMOVE texts"))
                .join();
        String b = TestEvents.ofSlice(5, 2).get(1);
        await(bench.run(
                name,
                journal().bring(events(a, 2, 3)).bring(events(b, 1, 2)),
                view(),
                bench.table(name),
                byArrival().recovering(HandlerRecoveryStrategy.skip())));
        assertThat(texts(b)).containsExactly("1", "2");
        assertThat(item(a)).containsOnlyKeys("id", "varve-" + name);
    }

    @Test
    void codecThatEncodesTheKey_isAccepted() {
        DeliveryModes<EventEnvelope<String>> view = view(bench.client(), items(), new TextsCodec() {
            @Override
            public Map<String, AttributeValue> encode(List<String> state) {
                Map<String, AttributeValue> all = super.encode(state);
                all.put("id", AttributeValue.fromS(name + " " + a));
                return all;
            }
        });
        await(bench.run(name, journal().bring(events(a, 1, 3)), view, bench.table(name), byArrival()));
        assertThat(texts(a)).containsExactly("1", "2", "3");
    }

    @Test
    void skippedWhileASharedItemIsMadeAnew_nothingOldStays() {
        ItemTable shared = items().withSharedItems();
        await(bench.run(
                name,
                journal().bring(events(a, 1, 1)),
                view(bench.client(), shared, new TextsCodec()),
                bench.table(name),
                byArrival()));
        await(bench.table(name).clear(5, 5));
        await(bench.run(
                name,
                journal().bring(List.of(TestEvents.withText(event(a, 1), "fail"))),
                view(bench.client(), shared, new TextsCodec()),
                bench.table(name),
                byArrival().recovering(HandlerRecoveryStrategy.skip())));
        assertThat(item(a)).doesNotContainKey("texts");
    }

    @Test
    void stateWithAsManyOtherAttributesAsItCanHave_isStored() {
        DeliveryModes<EventEnvelope<String>> wide = view(bench.client(), items(), new TextsCodec() {
            @Override
            public Map<String, AttributeValue> encode(List<String> state) {
                Map<String, AttributeValue> all = super.encode(state);
                LongStream.range(0, 299).forEach(i -> all.put(state.size() % 2 + "x" + i, AttributeValue.fromN("1")));
                return all;
            }
        });
        await(bench.run(name, journal().bring(events(a, 1, 1)), wide, bench.table(name), byArrival()));
        await(bench.run(name, journal().bring(events(a, 2, 2)), wide, bench.table(name), byArrival()));
        assertThat(texts(a)).containsExactly("1", "2");
    }
}
