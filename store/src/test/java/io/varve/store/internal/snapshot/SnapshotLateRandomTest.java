package io.varve.store.internal.snapshot;

import static io.varve.store.internal.snapshot.TestSnapshotStore.LARGE;
import static io.varve.store.internal.snapshot.TestSnapshotStore.snapshot;
import static io.varve.store.internal.snapshot.TestSnapshotStore.upTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** Saves and deletes one after another, of whose requests some are given up, sent again, and arrive at any later time. */
@DynamoDBTest
class SnapshotLateRandomTest {
    private static final String ID = "cart|1";
    private static final int OPERATIONS = 60;
    private static final int NUMBERS = 3;

    private final DynamoDbAsyncClient direct;
    private final String table;
    private final Map<Long, Snapshot> expected = new TreeMap<>();
    private final AtomicLong now = new AtomicLong();

    SnapshotLateRandomTest(DynamoDbAsyncClient direct, TableNames names) {
        this.direct = direct;
        this.table = names.snapshots();
    }

    @ParameterizedTest
    @ValueSource(longs = 1)
    void everySnapshotIsAsTheLastOperationLeftIt_whateverArrivesLater(long seed) {
        TestSnapshotStore.createTable(table);
        Random random = new Random(seed);
        try (FaultProxy proxy = FaultProxy.start(DynamoDBLocal.shared().endpoint(), seed);
                DynamoDbAsyncClient client = proxy.client()) {
            RequestMatch inOneItem = RequestMatch.operation("PutItem").keyPrefix(TestSnapshotStore.KEYS.partition(ID));
            proxy.on(inOneItem, Fault.delay(Duration.ZERO)); // the exception that is documented
            Late late = Late.on(
                    proxy,
                    RequestMatch.operation(
                                    "PutItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem", "UpdateItem")
                            .chance(0.1));
            TestSnapshotStore[] nodes = {impatient(client), impatient(client)};
            for (int operation = 0; operation < OPERATIONS; operation++) {
                operate(nodes[random.nextInt(nodes.length)], random);
                if (random.nextInt(3) == 0) {
                    late.release();
                }
            }
            late.arrive();
        }
        TestSnapshotStore later =
                TestSnapshotStore.on(direct, table).smallItems().later().build();
        for (long n = 1; n <= NUMBERS; n++) {
            assertThat(later.load(ID, TestSnapshotStore.between(n, n, 0, Integer.MAX_VALUE)))
                    .as("snapshot %d, seed %d", n, seed)
                    .isEqualTo(Optional.ofNullable(expected.get(n)));
        }
        later.delete(ID, 77);
        TestSnapshotStore.assertNothingIsOrphaned(direct, table, ID);
    }

    private TestSnapshotStore impatient(DynamoDbAsyncClient client) {
        return TestSnapshotStore.on(client, table)
                .smallItems()
                .clock(() -> Instant.ofEpochMilli(now.get()))
                .requestTimeout(Duration.ofMillis(300))
                .build();
    }

    private void operate(TestSnapshotStore node, Random random) {
        long time = now.incrementAndGet();
        long number = 1L + random.nextInt(NUMBERS);
        switch (random.nextInt(8)) {
            case 0 -> {
                node.delete(ID, upTo(number));
                expected.keySet().removeIf(n -> n <= number);
            }
            case 1, 2 -> {
                node.delete(ID, number);
                expected.remove(number);
            }
            case 3, 4 -> save(node, snapshot(ID, number, Instant.ofEpochMilli(time), 10 + (int) time));
            default -> save(node, snapshot(ID, number, Instant.ofEpochMilli(time), LARGE + (int) time));
        }
    }

    private void save(TestSnapshotStore node, Snapshot snapshot) {
        node.save(snapshot);
        expected.put(snapshot.sequenceNumber(), snapshot);
    }
}
