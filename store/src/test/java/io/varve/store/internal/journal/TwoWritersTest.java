package io.varve.store.internal.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.store.WriterConflictException;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Two nodes that both believe to own an entity. */
@ExtendWith(JournalFixture.Extension.class)
class TwoWritersTest {
    private static final int INTERLEAVINGS = 100;
    private static final int STEPS = 8;

    private final JournalFixture journal;
    private final FaultProxy proxy;

    TwoWritersTest(JournalFixture journal) {
        this.journal = journal;
        this.proxy = journal.proxy();
    }

    /** A writer that goes on from where it believes the entity to be, and recovers only after a failure, as an actor does. */
    private static final class Writer {
        private final TestStore store;
        private final String persistenceId;
        private final History history;
        private long last = -1;

        Writer(TestStore store, String persistenceId, History history) {
            this.store = store;
            this.persistenceId = persistenceId;
            this.history = history;
        }

        void step(Random random) {
            if (last < 0) {
                store.newWriter();
                last = store.highest(persistenceId);
                return;
            }
            int size = random.nextInt(10) < 7 ? 1 : 2 + random.nextInt(3);
            if (history.append(store, last + 1, last + size)) {
                last += size;
            } else {
                last = -1;
            }
        }
    }

    @Test
    void anyInterleavingOfTwoWriters_losesNothing() {
        TestStore one = journal.directNode().build();
        TestStore two = journal.directNode().build();
        TestStore reader = journal.directNode().build();
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (int lane = 0; lane < 4; lane++) {
            int first = lane;
            TestStore a = journal.directNode().build();
            TestStore b = journal.directNode().build();
            running.add(CompletableFuture.runAsync(
                    () -> {
                        for (int seed = first; seed < INTERLEAVINGS; seed += 4) {
                            interleave(seed, a, b, reader);
                        }
                    },
                    task -> new Thread(task, "lane-" + first).start()));
        }
        CompletableFuture.allOf(running.toArray(CompletableFuture[]::new)).join();
        assertThat(one.highest("none")).isEqualTo(two.highest("none"));
    }

    private static void interleave(int seed, TestStore a, TestStore b, TestStore reader) {
        Random random = new Random(seed);
        String persistenceId = "cart|" + seed;
        History history = new History(persistenceId);
        long start = random.nextInt(4) == 0 ? 97 : 0; // some of them meet at the border of a group
        if (start > 0) {
            a.newWriter();
            history.append(a, 1, start);
        }
        Writer one = new Writer(a, persistenceId, history);
        Writer two = new Writer(b, persistenceId, history);
        for (int step = 0; step < STEPS; step++) {
            (random.nextBoolean() ? one : two).step(random);
        }
        try {
            history.check(reader);
        } catch (AssertionError e) {
            throw new AssertionError("interleaving with seed " + seed, e);
        }
    }

    @Test
    void writersUnderFaultsAtTheSameTime_loseNothing() {
        try (FaultProxy faulty = FaultProxy.start(TestStore.endpoint(), 42);
                FaultProxy front = FaultProxy.start(faulty.endpoint());
                DynamoDbAsyncClient client = front.client()) {
            RequestMatch writes = RequestMatch.operation("PutItem", "TransactWriteItems");
            faulty.on(writes.chance(0.08), Fault.resetAfter());
            faulty.on(writes.chance(0.08), Fault.resetBefore());
            faulty.on(writes.chance(0.05), Fault.internalServerError());
            TestStore reader = journal.directNode().build();
            for (int round = 0; round < 10; round++) {
                String persistenceId = "order|" + round;
                History history = new History(persistenceId);
                Random random = new Random(round);
                for (int turn = 0; turn < 4; turn++) {
                    TestStore a = TestStore.on(client, journal.table()).build();
                    TestStore b = TestStore.on(client, journal.table()).build();
                    long next = a.highest(persistenceId) + 1;
                    assertThat(b.highest(persistenceId)).isEqualTo(next - 1);
                    var both = front.hold(writes.times(2));
                    var writeOfA = history.appendAsync(a, next, next + random.nextInt(3));
                    var writeOfB = history.appendAsync(b, next, next + random.nextInt(3));
                    both.awaitArrivals(2); // now both are under way
                    both.releaseAll();
                    TestStore.await(writeOfA);
                    TestStore.await(writeOfB);
                    history.check(reader);
                }
            }
        }
    }

    @Test
    void secondWriter_failsWithBothNamesAndNothingIsOverwritten() {
        TestStore one = journal.directNode().build();
        TestStore two = journal.directNode().build();
        one.highest("cart|1");
        two.highest("cart|1");
        one.append("cart|1", 1, 1);
        assertThatThrownBy(() -> two.append("cart|1", 1, 1))
                .isInstanceOfSatisfying(WriterConflictException.class, e -> {
                    assertThat(e.persistenceId()).isEqualTo("cart|1");
                    assertThat(e.sequenceNumber()).isEqualTo(1);
                })
                .hasMessageContaining(one.writer())
                .hasMessageContaining(two.writer());
        assertThat(two.recover("cart|1"))
                .singleElement()
                .satisfies(e -> assertThat(e.writer()).isEqualTo(one.writer()));
    }

    @Test
    void recoveryElsewhere_andALargeAtomicWriteThatIsMerelySlow_cannotBothWin() {
        TestStore slow = journal.node().build();
        var gate =
                proxy.hold(RequestMatch.operation("TransactWriteItems").skip(1).times(1));
        CompletableFuture<?> writing =
                slow.appendAsync("cart|1", slow.write("cart|1", 1, 250)).toCompletableFuture();
        gate.awaitArrival();
        TestStore elsewhere = journal.directNode().build();
        assertThat(elsewhere.recover("cart|1")).isEmpty();
        elsewhere.append("cart|1", 1, 1);
        gate.releaseAll();
        assertThatThrownBy(() -> TestStore.await(writing))
                .isInstanceOf(WriterConflictException.class)
                .hasMessageContaining("that begins with event 1 was not finished")
                .hasMessageContaining("another instance has recovered meanwhile");
        assertThat(journal.directNode().build().recover("cart|1").stream().map(e -> e.writer()))
                .containsExactly(elsewhere.writer());
        assertThat(journal.direct().scan(r -> r.tableName(journal.table())).join().items().stream()
                        .filter(item -> item.containsKey("batch_id")))
                .isEmpty();
    }

    @Test
    void largeAtomicWriteThatEndsWhileARecoveryCleansUp_staysWhole() {
        TestStore slow = journal.directNode().build();
        slow.highest("cart|1");
        // Another node sees the write half done; before it can take the first event away, the write ends.
        var firstHalf = FaultProxy.start(TestStore.endpoint());
        try (firstHalf;
                DynamoDbAsyncClient halfClient = firstHalf.client()) {
            TestStore writer = TestStore.on(halfClient, journal.table()).build();
            var gate = firstHalf.hold(
                    RequestMatch.operation("TransactWriteItems").skip(1).times(1));
            CompletableFuture<?> writing =
                    writer.appendAsync("cart|1", writer.write("cart|1", 1, 150)).toCompletableFuture();
            gate.awaitArrival();
            var cleaning =
                    proxy.hold(RequestMatch.operation("TransactWriteItems").times(1));
            TestStore elsewhere = journal.node().build();
            CompletableFuture<Long> highest =
                    elsewhere.store().highestSequenceNumber("cart|1", 0).toCompletableFuture();
            cleaning.awaitArrival();
            gate.releaseAll();
            TestStore.await(writing);
            cleaning.releaseAll();
            assertThat(highest.join()).isEqualTo(150);
            assertThat(elsewhere.recover("cart|1")).hasSize(150);
        }
    }
}
