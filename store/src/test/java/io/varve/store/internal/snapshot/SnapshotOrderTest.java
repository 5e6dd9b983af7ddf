package io.varve.store.internal.snapshot;

import static io.varve.store.internal.snapshot.TestSnapshotStore.LARGE;
import static io.varve.store.internal.snapshot.TestSnapshotStore.snapshot;
import static io.varve.store.internal.snapshot.TestSnapshotStore.upTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.VarveException;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** A save in parts and a clean-up by another node, each stopped before any of its requests while the other one goes on. */
@DynamoDBTest
class SnapshotOrderTest {
    private static final int REQUESTS_OF_A_SAVE = 10;
    private static final int REQUESTS_OF_A_DELETE = 5;

    private final FaultProxy first;
    private final FaultProxy second = FaultProxy.start(DynamoDBLocal.shared().endpoint());
    private final DynamoDbAsyncClient direct;
    private final String table;

    SnapshotOrderTest(FaultProxy first, DynamoDbAsyncClient direct, TableNames names) {
        this.first = first;
        this.direct = direct;
        this.table = names.snapshots();
    }

    @BeforeEach
    void create() {
        TestSnapshotStore.createTable(table);
    }

    @AfterEach
    void close() {
        second.close();
    }

    /** An operation that stops before some of its requests, as far as it gets to them. */
    private static final class Stopping implements AutoCloseable {
        private final DynamoDbAsyncClient client;
        private final CompletableFuture<Void> operation;
        private final Deque<Stop> stops = new ArrayDeque<>();

        private record Stop(CompletableFuture<Void> there, CompletableFuture<Void> mayGo) {}

        /** Starts the operation and runs it until its first stop. */
        Stopping(
                FaultProxy proxy,
                String table,
                Function<SnapshotStore, CompletionStage<Void>> operation,
                int... requests) {
            proxy.clear();
            int before = 0;
            for (int request : requests) {
                Stop stop = new Stop(new CompletableFuture<>(), new CompletableFuture<>());
                stops.add(stop);
                // A rule does not see the requests that a rule before it has hit.
                proxy.on(RequestMatch.any().skip(request - before++).times(1), Fault.runBefore(held -> {
                    stop.there().complete(null);
                    stop.mayGo().join();
                }));
            }
            this.client = proxy.client();
            TestSnapshotStore node = TestSnapshotStore.on(client, table)
                    .smallItems()
                    .oneAfterAnother()
                    .build();
            this.operation = operation.apply(node.store()).toCompletableFuture();
            awaitStop();
        }

        private void awaitStop() {
            CompletableFuture<?> there = stops.isEmpty()
                    ? operation
                    : CompletableFuture.anyOf(stops.element().there(), operation);
            there.exceptionally(failed -> null).join();
        }

        /** Runs it until its next stop, or its end. */
        void goOn() {
            stops.remove().mayGo().complete(null);
            awaitStop();
        }

        /** Runs it until its end, and says whether it succeeded. */
        boolean finish() {
            while (!stops.isEmpty()) {
                goOn();
            }
            try {
                TestSnapshotStore.await(operation);
                return true;
            } catch (VarveException e) {
                assertThat(e).hasMessageContaining("cleaned up its parts");
                return false;
            }
        }

        @Override
        public void close() {
            stops.forEach(stop -> stop.mayGo().complete(null));
            client.close();
        }
    }

    private TestSnapshotStore later() {
        return TestSnapshotStore.on(direct, table).smallItems().later().build();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 6})
    void saveAndCleanUp_inAnyOrder_leaveTheSnapshotOrNothingOfIt(int save) {
        for (int delete = 0; delete < REQUESTS_OF_A_DELETE; delete++) {
            for (int again = save + 1; again < REQUESTS_OF_A_SAVE; again++) {
                saveAndCleanUp("cart|" + delete + "-" + again, save, delete, again);
            }
        }
    }

    /** The save runs to its first stop, the clean-up to its stop, the save to its second stop, the clean-up and the save to their ends. */
    private void saveAndCleanUp(String id, int save, int delete, int again) {
        boolean saved;
        try (Stopping saving = new Stopping(first, table, store -> store.save(snapshot(id, 2, LARGE)), save, again);
                Stopping cleaning = new Stopping(second, table, store -> store.delete(id, 77), delete)) {
            saving.goOn();
            assertThat(cleaning.finish()).isTrue();
            saved = saving.finish();
        }
        String when = "the save stopped before its requests %d and %d, the clean-up before its request %d"
                .formatted(save, again, delete);
        Optional<Snapshot> expected = saved ? Optional.of(snapshot(id, 2, LARGE)) : Optional.empty();
        assertThat(later().load(id)).as(when).isEqualTo(expected);
        later().delete(id, 77);
        TestSnapshotStore.assertNothingIsOrphaned(direct, table, id);
        assertThat(later().load(id)).as(when).isEqualTo(expected);
    }

    @Test
    void twoSavesOfTheSameNumber_inAnyOrder_leaveOneOfThem() {
        for (int stop = 0; stop < REQUESTS_OF_A_SAVE; stop++) {
            String id = "cart|" + stop;
            boolean saved;
            try (Stopping saving = new Stopping(first, table, store -> store.save(snapshot(id, 2, LARGE)), stop)) {
                later().save(snapshot(id, 2, LARGE + 1));
                saved = saving.finish();
            }
            assertThat(later().load(id, upTo(2)))
                    .as("the first one stopped before request %d", stop)
                    .isIn(
                            saved ? Optional.of(snapshot(id, 2, LARGE)) : Optional.of(snapshot(id, 2, LARGE + 1)),
                            Optional.of(snapshot(id, 2, LARGE + 1)));
            later().delete(id, 77);
            TestSnapshotStore.assertNothingIsOrphaned(direct, table, id);
        }
    }
}
