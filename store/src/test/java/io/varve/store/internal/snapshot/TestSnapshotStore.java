package io.varve.store.internal.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.StoreObserver;
import io.varve.store.internal.TestTables;
import io.varve.store.internal.async.Backoff;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.GatewaySettings;
import io.varve.store.internal.layout.ItemSize;
import io.varve.store.internal.layout.Payload;
import io.varve.store.internal.layout.SnapshotKeys;
import io.varve.store.table.Tables;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.PredecessorTables;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ScanResponse;

/** A snapshot store as one node has it, with the calls that tests make; another instance on the same table is another node. */
final class TestSnapshotStore {
    static final SnapshotKeys KEYS = new SnapshotKeys("journal");
    static final Criteria ALL = upTo(Long.MAX_VALUE);
    /** The smallest limit that can be configured, so that parts are small and tests quick. */
    static final int SMALL_ITEMS = 10_000;
    /** A size that makes five parts where items are small. */
    static final int LARGE = 22_000;

    private static final ExecutorService EXECUTOR = Executors.newFixedThreadPool(4, runnable -> {
        Thread thread = new Thread(runnable, "test-snapshot-store");
        thread.setDaemon(true);
        return thread;
    });

    private final SnapshotStore store;

    private TestSnapshotStore(Builder builder) {
        GatewaySettings gateway = new GatewaySettings(
                builder.operationTimeout,
                builder.requestTimeout,
                new Backoff(Duration.ofMillis(1), Duration.ofMillis(20), 0.5),
                4,
                Optional.empty());
        this.store = new SnapshotStore(
                new Gateway(builder.client, gateway, StoreObserver.NONE, EXECUTOR),
                new SnapshotStoreSettings(
                        builder.table,
                        "journal",
                        builder.compression,
                        builder.maxSnapshotSize,
                        builder.maxLoadedSize,
                        builder.maxItemSize,
                        builder.partParallelism),
                builder.clock);
    }

    /** Creates a snapshot table as Varve does: the local index holds keys only. */
    static void createTable(String table) {
        TestTables.create(Tables.snapshots(table));
    }

    /** Creates a snapshot table as users of the predecessors have it: the local index holds a copy of everything. */
    static void createPredecessorsTable(String table) {
        try (DynamoDbAsyncClient direct = DynamoDBLocal.shared().client()) {
            PredecessorTables.createSnapshots(direct, table);
        }
    }

    static Builder on(DynamoDbAsyncClient client, String table) {
        return new Builder(client, table);
    }

    /** What can differ between nodes. */
    static final class Builder {
        private final DynamoDbAsyncClient client;
        private final String table;
        private InstantSource clock = InstantSource.system();
        private Duration operationTimeout = Duration.ofSeconds(30);
        private Compression compression = Compression.NONE;
        private Duration requestTimeout = Duration.ofSeconds(30);
        private int maxSnapshotSize = 20 * 1024 * 1024;
        private int maxLoadedSize = 64 * 1024 * 1024;
        private int maxItemSize = ItemSize.MAX;
        private int partParallelism = 4;

        private Builder(DynamoDbAsyncClient client, String table) {
            this.client = client;
            this.table = table;
        }

        Builder clock(InstantSource other) {
            this.clock = other;
            return this;
        }

        Builder operationTimeout(Duration timeout) {
            this.operationTimeout = timeout;
            return this;
        }

        /** After this time a request is sent again. */
        Builder requestTimeout(Duration timeout) {
            this.requestTimeout = timeout;
            return this;
        }

        /** A node whose clock is an hour ahead: what may have been on its way for others has arrived. */
        Builder later() {
            return clock(() -> Instant.now().plus(Duration.ofHours(1)));
        }

        Builder gzip() {
            this.compression = Compression.GZIP;
            return this;
        }

        Builder maxSnapshotSize(int bytes) {
            this.maxSnapshotSize = bytes;
            return this;
        }

        Builder maxLoadedSize(int bytes) {
            this.maxLoadedSize = bytes;
            return this;
        }

        Builder smallItems() {
            this.maxItemSize = SMALL_ITEMS;
            return this;
        }

        Builder oneAfterAnother() {
            this.partParallelism = 1;
            return this;
        }

        TestSnapshotStore build() {
            return new TestSnapshotStore(this);
        }
    }

    SnapshotStore store() {
        return store;
    }

    /** A snapshot of that many bytes, the same for the same arguments; its timestamp is its sequence number. */
    static Snapshot snapshot(String persistenceId, long sequenceNumber, int size) {
        return snapshot(persistenceId, sequenceNumber, Instant.ofEpochMilli(sequenceNumber), size);
    }

    static Snapshot snapshot(String persistenceId, long sequenceNumber, Instant timestamp, int size) {
        byte[] bytes = new byte[size];
        new Random(sequenceNumber * 31 + size).nextBytes(bytes);
        return new Snapshot(
                persistenceId,
                sequenceNumber,
                timestamp,
                new Payload(SdkBytes.fromByteArray(bytes), 20, "manifest"),
                Optional.empty(),
                false);
    }

    static Criteria upTo(long sequenceNumber) {
        return new Criteria(0, sequenceNumber, Instant.EPOCH, Instant.ofEpochMilli(Integer.MAX_VALUE));
    }

    static Criteria between(long minSequence, long maxSequence, long minTime, long maxTime) {
        return new Criteria(minSequence, maxSequence, Instant.ofEpochMilli(minTime), Instant.ofEpochMilli(maxTime));
    }

    void save(Snapshot snapshot) {
        await(store.save(snapshot));
    }

    Optional<Snapshot> load(String persistenceId) {
        return load(persistenceId, ALL);
    }

    Optional<Snapshot> load(String persistenceId, Criteria criteria) {
        return await(store.load(persistenceId, criteria, false, CompletableFuture::completedFuture));
    }

    Optional<Long> loadedNumber(String persistenceId, Criteria criteria) {
        return load(persistenceId, criteria).map(Snapshot::sequenceNumber);
    }

    void delete(String persistenceId, long sequenceNumber) {
        await(store.delete(persistenceId, sequenceNumber));
    }

    void delete(String persistenceId, Criteria criteria) {
        await(store.delete(persistenceId, criteria));
    }

    /** All items of the table, whatever they are. */
    static List<Map<String, AttributeValue>> scan(DynamoDbAsyncClient client, String table) {
        List<Map<String, AttributeValue>> all = new ArrayList<>();
        Map<String, AttributeValue> start = Map.of();
        do {
            Map<String, AttributeValue> from = start;
            ScanResponse page = client.scan(r ->
                            r.tableName(table).consistentRead(true).exclusiveStartKey(from.isEmpty() ? null : from))
                    .join();
            all.addAll(page.items());
            start = page.lastEvaluatedKey();
        } while (!start.isEmpty());
        return all;
    }

    /** Every part and every entry of the list belongs to a head of the entity, and every head has all of its parts. */
    static void assertNothingIsOrphaned(DynamoDbAsyncClient client, String table, String persistenceId) {
        List<Map<String, AttributeValue>> all = scan(client, table);
        List<Map<String, AttributeValue>> heads = all.stream()
                .filter(item -> partition(item).equals(KEYS.partition(persistenceId)))
                .filter(item -> item.containsKey("part_key"))
                .toList();
        List<String> wanted = heads.stream()
                .flatMap(head -> IntStream.range(0, (int) number(head, "parts"))
                        .mapToObj(index -> text(head, "part_key") + "-" + index + " " + index))
                .toList();
        String list = KEYS.partListPartition(persistenceId);
        assertThat(all.stream()
                        .filter(item -> partition(item).startsWith(list + "-"))
                        .map(item -> partition(item) + " " + number(item, "seq")))
                .as("parts")
                .containsExactlyInAnyOrderElementsOf(wanted);
        assertThat(all.stream()
                        .filter(item -> partition(item).equals(list))
                        .map(entry -> list + "-" + number(entry, "of_seq") + "-" + number(entry, "seq")))
                .as("the list of sets")
                .containsExactlyInAnyOrderElementsOf(
                        heads.stream().map(head -> text(head, "part_key")).toList());
    }

    static String text(Map<String, AttributeValue> item, String attribute) {
        return Objects.requireNonNull(item.get(attribute), attribute).s();
    }

    static long number(Map<String, AttributeValue> item, String attribute) {
        return Long.parseLong(
                Objects.requireNonNull(item.get(attribute), attribute).n());
    }

    private static String partition(Map<String, AttributeValue> item) {
        return text(item, "par");
    }

    static <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }
}
