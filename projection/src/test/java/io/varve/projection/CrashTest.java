package io.varve.projection;

import static io.varve.projection.TestBench.await;
import static io.varve.projection.TestEvents.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.projection.TestBench.How;
import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.projection.internal.pekko.PekkoRecovery;
import io.varve.projection.internal.progress.OffsetSaver;
import io.varve.projection.internal.progress.Transactions;
import io.varve.store.VarveException;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.SetOffsets;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.FaultRule;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
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

/** An instance that dies at any of its writes, with and without effect of the last one, and the one that starts afterwards. */
class CrashTest {
    private static final RequestMatch WRITES = RequestMatch.operation("TransactWriteItems", "BatchWriteItem");
    private static final Fault DEAD = Fault.error(400, "ValidationException", "dead");

    private static TestBench bench;
    private static FaultProxy proxy;
    private static DynamoDbAsyncClient client;
    private static WarningsOf transactionWarnings;
    private static WarningsOf saverWarnings;
    private static WarningsOf handlerWarnings;

    private final String name = TestBench.freshName();
    private final TestBench.Notes notes = new TestBench.Notes();

    @BeforeAll
    static void start() {
        bench = new TestBench();
        proxy = FaultProxy.start(DynamoDBLocal.shared().endpoint());
        client = proxy.client();
        transactionWarnings = new WarningsOf(Transactions.class);
        saverWarnings = new WarningsOf(OffsetSaver.class);
        handlerWarnings = new WarningsOf(PekkoRecovery.class);
    }

    @AfterAll
    static void stop() {
        transactionWarnings.close();
        saverWarnings.close();
        handlerWarnings.close();
        client.close();
        proxy.close();
        bench.close();
    }

    @AfterEach
    void clear() {
        proxy.clear();
    }

    /** Three entities of two slices, five events each, those of the first two with equal timestamps. */
    private static List<EventEnvelope<String>> events() {
        List<String> ids = ids();
        List<EventEnvelope<String>> events = new ArrayList<>();
        LongStream.rangeClosed(1, 5).forEach(number -> {
            events.add(event(ids.get(0), number, number * 1_000));
            events.add(event(ids.get(1), number, number * 1_000));
            events.add(event(ids.get(2), number, number * 1_000 + 500));
        });
        return events;
    }

    private static List<String> ids() {
        List<String> ids = new ArrayList<>(TestEvents.ofSlice(5, 2));
        ids.addAll(TestEvents.ofSlice(6, 1));
        return ids;
    }

    private DeliveryModes<EventEnvelope<String>> mode(String kind) {
        return switch (kind) {
            case "exactlyOnce" -> bench.exactlyOnce(name, 1);
            case "parallel" -> bench.exactlyOnce(name, 4);
            case "groupCommit" -> bench.groupCommit(name, 2, 3);
            case "exactlyOnceGrouped" -> bench.exactlyOnceGrouped(name);
            case "atLeastOnce" -> notes.atLeastOnce();
            default -> notes.atLeastOnceGrouped();
        };
    }

    private static How how() {
        return How.plain().groups(4).saves(4);
    }

    /** An instance whose writes get through so many times; if late, the next one takes effect without an answer. */
    private void die(String kind, int survive, boolean late) {
        proxy.on(WRITES.skip(survive).times(1), late ? Fault.resetAfter() : DEAD);
        proxy.on(WRITES.skip(survive), DEAD);
        OffsetTable table = bench.table(client, name, Duration.ofSeconds(30));
        try {
            await(bench.run(name, new TestEvents(5, 6).bring(events()), mode(kind), table, how()));
        } catch (VarveException dead) {
            assertThat(dead).hasMessageContaining("dead");
        }
        proxy.clear();
    }

    private void restart(String kind) {
        await(bench.run(name, new TestEvents(5, 6).bring(events()), mode(kind), bench.directTable(name), how()));
    }

    @ParameterizedTest
    @CsvSource({
        "exactlyOnce, 0",
        "exactlyOnce, 1",
        "exactlyOnce, 7",
        "exactlyOnce, 14",
        "exactlyOnce, 15",
        "parallel, 0",
        "parallel, 3",
        "parallel, 10",
        "parallel, 15",
        "groupCommit, 0",
        "groupCommit, 1",
        "groupCommit, 4",
        "groupCommit, 9",
        "exactlyOnceGrouped, 0",
        "exactlyOnceGrouped, 1",
        "exactlyOnceGrouped, 3",
        "exactlyOnceGrouped, 4"
    })
    void exactlyOnce_nothingIsLostAndNothingAppliedTwice(String kind, int survive) {
        for (boolean late : List.of(false, true)) {
            die(kind, survive, late);
        }
        restart(kind);
        for (String id : ids()) {
            assertThat(bench.applied(name, id)).containsExactly(1L, 2L, 3L, 4L, 5L);
        }
        restart(kind);
        assertThat(bench.applied(name, ids().get(0))).hasSize(5);
    }

    @ParameterizedTest
    @CsvSource({
        "atLeastOnce, 0", "atLeastOnce, 1", "atLeastOnce, 3", "atLeastOnce, 4",
        "atLeastOnceGrouped, 0", "atLeastOnceGrouped, 1", "atLeastOnceGrouped, 3", "atLeastOnceGrouped, 4"
    })
    void atLeastOnce_nothingIsLostAndEachEntityIsInOrder(String kind, int survive) {
        for (boolean late : List.of(false, true)) {
            die(kind, survive, late);
        }
        restart(kind);
        Map<String, Long> reached = new HashMap<>();
        Set<String> handled = new HashSet<>();
        for (String each : notes.handled()) {
            String id = each.substring(0, each.indexOf(' '));
            long number = Long.parseLong(each.substring(each.indexOf(' ') + 1));
            assertThat(number)
                    .as("%s in %s", each, notes.handled())
                    .isLessThanOrEqualTo(reached.getOrDefault(id, 0L) + 1);
            reached.merge(id, number, Math::max);
            handled.add(each);
        }
        assertThat(handled).hasSize(15);
        int before = notes.handled().size();
        restart(kind);
        assertThat(notes.handled()).as("all of it is stored").hasSize(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"exactlyOnce", "exactlyOnceGrouped", "atLeastOnce", "atLeastOnceGrouped"})
    void deathBetweenEntityRowsAndSliceRows_onlyReadsAgain(String kind) {
        proxy.on(
                RequestMatch.operation("BatchWriteItem")
                        .where(request -> request.partitionKeys().size() == 2
                                && request.body().toString().contains("seen")),
                DEAD);
        await(bench.run(
                name,
                new TestEvents(5, 6).bring(events()),
                mode(kind),
                bench.table(client, name, Duration.ofSeconds(30)),
                how()));
        assertThat(await(bench.directTable(name).read(5, 6)).places())
                .as("not stored")
                .isEmpty();
        int handled = notes.handled().size();
        restart(kind);
        assertThat(notes.handled()).hasSize(handled);
        if (kind.startsWith("exactly")) {
            assertThat(bench.applied(name, ids().get(2))).containsExactly(1L, 2L, 3L, 4L, 5L);
        }
    }

    @Test
    void instanceThatIsAbandonedWithItsTransactionOnTheWay_cannotApplyItLater() {
        Gate gate =
                proxy.hold(RequestMatch.operation("TransactWriteItems").skip(4).times(1));
        var abandoned = bench.run(
                name,
                new TestEvents(5, 6).bring(events()),
                bench.exactlyOnce(name, 1),
                bench.table(client, name, Duration.ofSeconds(30)),
                how());
        gate.awaitArrival();
        restart("exactlyOnce");
        gate.release();
        await(abandoned);
        for (String id : ids()) {
            assertThat(bench.applied(name, id)).containsExactly(1L, 2L, 3L, 4L, 5L);
        }
    }

    @Test
    void answerLostForGood_andTheHandlerTriedAgain_isAppliedOnce() {
        proxy.on(WRITES.times(1), Fault.resetAfter());
        FaultRule dead = proxy.on(WRITES, DEAD);
        AtomicInteger attempts = new AtomicInteger();
        DeliveryModes<EventEnvelope<String>> handler = TestBench.transacting(
                event -> {
                    if (attempts.incrementAndGet() == 2) {
                        dead.remove();
                    }
                    return CompletableFuture.completedFuture(bench.changes(name, List.of(event)));
                },
                1);
        await(bench.run(
                name,
                new TestEvents(5, 6).bring(events()),
                handler,
                bench.table(client, name, Duration.ofSeconds(30)),
                how().recovering(HandlerRecoveryStrategy.retryAndFail(5, Duration.ofMillis(1)))));
        assertThat(attempts).hasValue(16);
        for (String id : ids()) {
            assertThat(bench.applied(name, id)).containsExactly(1L, 2L, 3L, 4L, 5L);
        }
    }

    @Test
    void skippedEvent_advancesItsRowWithoutItsChanges() {
        DeliveryModes<EventEnvelope<String>> failing = TestBench.transacting(
                event -> {
                    if (event.sequenceNr() == 2) {
                        throw new IllegalStateException("no");
                    }
                    return CompletableFuture.completedFuture(bench.changes(name, List.of(event)));
                },
                1);
        await(bench.run(
                name,
                new TestEvents(5, 6).bring(events()),
                failing,
                bench.directTable(name),
                how().recovering(HandlerRecoveryStrategy.skip())));
        assertThat(bench.applied(name, ids().get(0))).containsExactly(1L, 3L, 4L, 5L);
        assertThat(await(bench.directTable(name).lastProcessed(List.of(ids().get(0)), SetOffsets.NONE))
                        .values())
                .containsExactly(new LastProcessed(ids().get(0), 5, 5_000));
    }
}
