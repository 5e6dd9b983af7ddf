package io.varve.projection;

import static io.varve.projection.TestBench.await;
import static io.varve.projection.TestEvents.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.projection.TestBench.How;
import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.projection.internal.retry.ProgressChangedException;
import io.varve.projection.internal.view.ItemModes;
import io.varve.projection.internal.view.ItemProgress;
import io.varve.store.internal.offset.SliceOffset;
import io.varve.testkit.Fault;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Items that are made anew because the offset was set, while something else happens to them. */
class ViewRebuildTest {
    private static final RequestMatch WRITE = RequestMatch.operation("UpdateItem", "PutItem");
    private static final String BY_ARRIVAL = "view.read-ahead-after = off";

    private static TestBench bench;

    private final String name = TestBench.freshName();
    private final String a = TestEvents.ofSlice(5, 2).get(0);
    private final String b = TestEvents.ofSlice(5, 2).get(1);

    @BeforeAll
    static void start() {
        bench = new TestBench();
    }

    @AfterAll
    static void stop() {
        bench.close();
    }

    @AfterEach
    void clear() {
        bench.proxy().clear();
    }

    /** Lists the numbers of the events; one "fail" makes it fail. */
    private static final class Numbers extends ViewHandler<List<Long>, String> {
        @Override
        public List<Long> emptyState() {
            return List.of();
        }

        @Override
        public List<Long> apply(List<Long> state, EventEnvelope<String> envelope) {
            if (envelope.getEvent().equals("fail")) {
                throw new IllegalStateException("cannot apply this");
            }
            List<Long> next = new ArrayList<>(state);
            next.add(envelope.sequenceNr());
            return next;
        }
    }

    private static final class NumbersCodec implements ItemCodec<List<Long>> {
        @Override
        public Map<String, AttributeValue> encode(List<Long> state) {
            return Map.of(
                    "events",
                    AttributeValue.fromL(
                            state.stream().map(ViewRebuildTest::number).toList()));
        }

        @Override
        public List<Long> decode(Map<String, AttributeValue> attributes) {
            return Objects.requireNonNull(attributes.get("events")).l().stream()
                    .map(number -> Long.valueOf(number.n()))
                    .toList();
        }
    }

    private static AttributeValue number(long number) {
        return AttributeValue.fromN(Long.toString(number));
    }

    private ItemTable items() {
        return ItemTable.of(bench.test().target(), id -> Map.of("id", AttributeValue.fromS(name + " " + id)));
    }

    private ItemModes modes() {
        return new ItemModes(items(), bench.gateway(bench.client(), Duration.ofSeconds(30)));
    }

    private DeliveryModes<EventEnvelope<String>> view() {
        return modes().view(new NumbersCodec(), Numbers::new);
    }

    /** The same list, by changes of what is there. */
    private DeliveryModes<EventEnvelope<String>> changes() {
        return modes().changes(() -> DynamoDBItemHandler.fromFunction(envelope -> {
            if (envelope.getEvent().equals("fail")) {
                throw new IllegalStateException("cannot apply this");
            }
            return ItemChange.update()
                    .set("events = list_append(if_not_exists(events, :none), :next)")
                    .value(":none", AttributeValue.fromL(List.of()))
                    .value(":next", AttributeValue.fromL(List.of(number(envelope.sequenceNr()))));
        }));
    }

    private static How how(String settings) {
        return new How(
                bench.with("pekko.projection.dynamodb { offset-store.slice-flush-interval = 1h\n" + settings + " }"),
                HandlerRecoveryStrategy.fail(),
                25,
                20);
    }

    private void run(TestEvents events, DeliveryModes<EventEnvelope<String>> modes, String settings) {
        await(bench.run(name, events, modes, bench.table(name), how(settings)));
    }

    private static TestEvents journal() {
        return new TestEvents(5, 5);
    }

    private static List<EventEnvelope<String>> events(String persistenceId, long first, long last) {
        return LongStream.rangeClosed(first, last)
                .mapToObj(number -> event(persistenceId, number))
                .toList();
    }

    private void setTo(long number) {
        long timestamp = TestEvents.timestamp(number);
        await(bench.table(name).set(Map.of(5, new SliceOffset(timestamp, Map.of(), timestamp))));
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

    private DeliveryModes<EventEnvelope<String>> modes(boolean folds) {
        return folds ? view() : changes();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void setBack_theInstanceFailsInBetween_theNextOneLeavesNothingOut(boolean folds) {
        run(journal().bring(events(a, 1, 4)), modes(folds), BY_ARRIVAL);
        setTo(4);
        TestEvents failing = journal().store(a, 1, 1).store(TestEvents.withText(event(a, 2), "fail"));
        assertThatThrownBy(() -> run(failing.store(a, 3, 3).bring(events(a, 4, 4)), modes(folds), BY_ARRIVAL))
                .hasMessage("cannot apply this");
        run(journal().store(a, 1, 3).bring(events(a, 4, 5)), modes(folds), BY_ARRIVAL);
        assertThat(listed(a)).containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    @Test
    void setBackAndThenForward_theItemWasNotYetMadeAnew_itHasLostNothing() {
        run(journal().bring(events(a, 1, 4)), view(), BY_ARRIVAL);
        setTo(4);
        TestEvents failing = journal().store(a, 1, 2).store(TestEvents.withText(event(a, 3), "fail"));
        assertThatThrownBy(() -> run(failing.bring(events(a, 4, 4)), view(), BY_ARRIVAL))
                .hasMessage("cannot apply this");
        assertThat(listed(a)).containsExactly(1L, 2L, 3L, 4L);
        setTo(5);
        run(journal().store(a, 1, 4).bring(events(a, 5, 5)), view(), BY_ARRIVAL);
        assertThat(listed(a)).containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void setBack_theFirstEventsAreBeingDeleted_theItemStaysAsItIs(boolean folds) {
        run(journal().bring(events(a, 1, 4)), modes(folds), BY_ARRIVAL);
        setTo(3);
        try (WarningsOf warnings = new WarningsOf(ItemProgress.class)) {
            run(journal().store(a, 1, 4).deleting(a, 2).bring(events(a, 3, 5)), modes(folds), BY_ARRIVAL);
            assertThat(warnings.messages()).singleElement().asString().contains("'" + a + "'", "stays as it is");
        }
        assertThat(listed(a)).containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    @Test
    void itemOfAnEarlierEpoch_writtenLateAndNotInMemory_losesNothing() {
        setTo(3);
        Gate gate = bench.proxy().hold(WRITE.times(1));
        TestEvents journal = journal()
                .store(a, 1, 2)
                .bring(List.of(event(b, 1, TestEvents.timestamp(3))))
                .bring(List.of(event(a, 3, TestEvents.timestamp(3) + 1)));
        CompletionStage<Done> stream = bench.run(
                name,
                journal,
                view(),
                bench.table(name),
                how(BY_ARRIVAL + "\nview { parallelism = 1, max-states = 1 }"));
        gate.awaitArrival();
        putOfAnEarlierEpoch(List.of(1L, 2L, 3L), TestEvents.timestamp(3) + 1);
        gate.releaseAll();
        assertThatThrownBy(() -> await(stream)).isInstanceOf(ProgressChangedException.class);
        assertThat(listed(a)).containsExactly(1L, 2L, 3L);
        run(journal, view(), BY_ARRIVAL);
        assertThat(listed(a)).containsExactly(1L, 2L, 3L);
    }

    /** What an instance stores that has started before the offset was set. */
    private void putOfAnEarlierEpoch(List<Long> numbers, long timestamp) {
        Map<String, AttributeValue> item = new HashMap<>(items().key().apply(a));
        item.putAll(new NumbersCodec().encode(numbers));
        item.put(
                "varve-" + name,
                AttributeValue.fromM(Map.of(
                        "pid", AttributeValue.fromS(a),
                        "seq_nr", number(numbers.get(numbers.size() - 1)),
                        "ts", number(timestamp),
                        "epoch", number(0))));
        bench.test()
                .client()
                .putItem(put -> put.tableName(bench.test().target()).item(item))
                .join();
    }

    @Test
    void itemDeletedByHand_whenItIsNotInMemory_startsTheProjectionAgain() {
        Gate gate = bench.proxy().hold(WRITE.times(1));
        TestEvents journal = journal()
                .bring(events(a, 1, 1))
                .bring(List.of(event(b, 1, TestEvents.timestamp(1) + 1)))
                .bring(events(a, 2, 2));
        CompletionStage<Done> stream = bench.run(
                name,
                journal,
                view(),
                bench.table(name),
                how(BY_ARRIVAL + "\nview { parallelism = 1, max-states = 1 }"));
        gate.awaitArrival();
        bench.proxy().on(WRITE.times(1), Fault.runBefore(request -> deleteItem(a)));
        gate.releaseAll();
        assertThatThrownBy(() -> await(stream))
                .isInstanceOf(ProgressChangedException.class)
                .hasMessageContaining("'" + a + "'");
        run(journal().store(a, 1, 2).bring(events(a, 1, 3)), view(), BY_ARRIVAL);
        assertThat(listed(a)).containsExactly(1L, 2L, 3L);
    }
}
