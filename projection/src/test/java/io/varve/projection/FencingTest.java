package io.varve.projection;

import static io.varve.projection.TestBench.await;
import static io.varve.projection.TestEvents.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.projection.TestBench.How;
import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.projection.internal.progress.Transactions;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.apache.pekko.Done;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Two instances of one projection that run at the same time: each event is applied once, and both go on. */
class FencingTest {
    private static final List<String> IDS = List.of("a", "b", "c");

    private static TestBench bench;
    private static FaultProxy otherProxy;
    private static DynamoDbAsyncClient otherClient;

    private final String name = TestBench.freshName();

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

    private static List<EventEnvelope<String>> events(Random random, int number) {
        Map<String, Long> numbers = new HashMap<>();
        List<EventEnvelope<String>> events = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            String id = IDS.get(random.nextInt(IDS.size()));
            events.add(event(id, numbers.merge(id, 1L, Long::sum), 1_000 + i));
        }
        return events;
    }

    private void assertEachIsAppliedOnceInOrder(List<EventEnvelope<String>> events) {
        for (String id : IDS) {
            assertThat(bench.applied(name, id))
                    .as(id)
                    .isEqualTo(events.stream()
                            .filter(event -> event.persistenceId().equals(id))
                            .map(EventEnvelope::sequenceNr)
                            .toList());
        }
    }

    /** Runs two instances, whose transactions pass one by one in an order that the seed says. */
    private void race(
            Random random,
            List<EventEnvelope<String>> events,
            DeliveryModes<EventEnvelope<String>> one,
            DeliveryModes<EventEnvelope<String>> other,
            How how,
            How otherHow) {
        RequestMatch transaction = RequestMatch.operation("TransactWriteItems");
        List<Gate> gates = List.of(bench.proxy().hold(transaction), otherProxy.hold(transaction));
        OffsetTable otherTable = bench.table(otherClient, name, Duration.ofSeconds(30));
        CompletionStage<Done> first = bench.run(name, new TestEvents(0, 0).bring(events), one, bench.table(name), how);
        CompletionStage<Done> second = bench.run(name, new TestEvents(0, 0).bring(events), other, otherTable, otherHow);
        gates.forEach(Gate::awaitArrival);
        for (int i = 0; i < 2 * events.size(); i++) {
            gates.get(random.nextInt(2)).release();
        }
        gates.forEach(Gate::releaseAll);
        await(first);
        await(second);
        assertEachIsAppliedOnceInOrder(events);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void exactlyOnce_byEnvelope(long seed) {
        Random random = new Random(seed);
        List<EventEnvelope<String>> events = events(random, 20);
        int parallelism = 1 + random.nextInt(4);
        try (WarningsOf warnings = new WarningsOf(Transactions.class)) {
            race(
                    random,
                    events,
                    bench.exactlyOnce(name, parallelism),
                    bench.exactlyOnce(name, 1),
                    How.plain(),
                    How.plain());
            assertThat(warnings.messages())
                    .as("both began with the first event, and one lost")
                    .isNotEmpty()
                    .allMatch(message -> message.contains("another running instance of this projection"));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void exactlyOnce_byGroup(long seed) {
        Random random = new Random(seed);
        List<EventEnvelope<String>> events = events(random, 30);
        try (WarningsOf warnings = new WarningsOf(Transactions.class)) {
            race(
                    random,
                    events,
                    bench.exactlyOnceGrouped(name),
                    bench.exactlyOnceGrouped(name),
                    How.plain().groups(2 + random.nextInt(5)),
                    How.plain().groups(2 + random.nextInt(5)));
            assertThat(warnings.messages()).isNotEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void exactlyOnce_ofBothKinds(long seed) {
        Random random = new Random(seed);
        try (WarningsOf warnings = new WarningsOf(Transactions.class)) {
            race(
                    random,
                    events(random, 30),
                    bench.exactlyOnce(name, 3),
                    bench.exactlyOnceGrouped(name),
                    How.plain(),
                    How.plain().groups(4));
            assertThat(warnings.messages()).isNotEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void exactlyOnce_byGroupCommit(long seed) {
        Random random = new Random(seed);
        try (WarningsOf warnings = new WarningsOf(Transactions.class)) {
            race(
                    random,
                    events(random, 30),
                    bench.groupCommit(name, 1 + random.nextInt(2), 2 + random.nextInt(3)),
                    random.nextBoolean() ? bench.groupCommit(name, 1, 3) : bench.exactlyOnce(name, 2),
                    How.plain(),
                    How.plain());
            assertThat(warnings.messages()).isNotEmpty();
        }
    }

    @Test
    void partOfAGroupProcessedElsewhere_theHandlerIsCalledAgainWithTheRest() {
        List<EventEnvelope<String>> events = new ArrayList<>();
        LongStream.rangeClosed(1, 4).forEach(number -> events.add(event("a", number)));
        events.add(event("b", 1, 10_000));
        List<String> calls = Collections.synchronizedList(new ArrayList<>());
        DeliveryModes<EventEnvelope<String>> slow = TestBench.transactingGroups(group -> {
            calls.add(String.join(
                    " ",
                    group.stream()
                            .map(event -> event.persistenceId() + event.sequenceNr())
                            .toList()));
            return CompletableFuture.completedFuture(bench.changes(name, group));
        });
        Gate gate = otherProxy.hold(RequestMatch.operation("TransactWriteItems").times(1));
        CompletionStage<Done> late = bench.run(
                name,
                new TestEvents(0, 0).bring(events),
                slow,
                bench.table(otherClient, name, Duration.ofSeconds(30)),
                How.plain().groups(5));
        gate.awaitArrival();
        await(bench.run(
                name,
                new TestEvents(0, 0).bring(events.subList(0, 2)),
                bench.exactlyOnce(name, 1),
                bench.table(name),
                How.plain()));
        try (WarningsOf warnings = new WarningsOf(Transactions.class)) {
            gate.release();
            await(late);
            assertThat(warnings.messages())
                    .singleElement()
                    .asString()
                    .contains("2 events, the first of which is event 1 of 'a'");
        }
        assertThat(calls).containsExactly("a1 a2 a3 a4 b1", "a3 a4 b1");
        assertThat(bench.applied(name, "a")).containsExactly(1L, 2L, 3L, 4L);
        assertThat(bench.applied(name, "b")).containsExactly(1L);
        assertThat(await(bench.table(name).read(0, 1023)).places()).isNotEmpty();
    }
}
