package io.varve.store.internal.journal;

import io.varve.store.StoreObserver;
import io.varve.store.internal.TestTables;
import io.varve.store.internal.append.AppendRequest;
import io.varve.store.internal.append.AppendRequest.NewEvent;
import io.varve.store.internal.append.AppendResult;
import io.varve.store.internal.append.AtomicWrites;
import io.varve.store.internal.async.Backoff;
import io.varve.store.internal.async.Surroundings;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.GatewaySettings;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.ItemSize;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.layout.Payload;
import io.varve.store.internal.replay.Replayer;
import io.varve.store.table.Tables;
import io.varve.testkit.DynamoDBLocal;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.LongStream;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** A store as one node has it, with the calls that tests make; another instance on the same table is another node. */
public final class TestStore {
    private static final ExecutorService EXECUTOR = Executors.newFixedThreadPool(4, runnable -> {
        Thread thread = new Thread(runnable, "test-store");
        thread.setDaemon(true);
        return thread;
    });
    static final JournalKeys KEYS = new JournalKeys("journal");

    private final EventStore store;
    private final Duration operationTimeout;
    private String writer = UUID.randomUUID().toString();

    private TestStore(Builder builder) {
        this.store = new EventStore(builder.gateway(), builder.settings(), builder.clock);
        this.operationTimeout = builder.operationTimeout;
    }

    /** Creates a journal table of that name. */
    public static void createTable(String table) {
        TestTables.create(Tables.journal(table));
    }

    public static Builder on(DynamoDbAsyncClient client, String table) {
        return new Builder(client, table);
    }

    /** What can differ between nodes. */
    public static final class Builder {
        private final DynamoDbAsyncClient client;
        private final String table;
        private InstantSource clock = InstantSource.system();
        private Duration checkWriterAfter = Duration.ofHours(1); // however slow the machine is
        private Surroundings surroundings = Surroundings.OF_THIS_MACHINE;
        private Duration operationTimeout = Duration.ofSeconds(30);
        private OptionalInt sequenceShards = OptionalInt.of(1);
        private boolean sliceIndex;
        private int indexShards = 64;
        private AtomicWrites atomicWrites = AtomicWrites.TRANSACTIONAL;
        private int joinWritesFrom = 4;
        private boolean highDistrust;
        private int replayParallelism = 10;
        private String journalName = "journal";
        private StoreObserver observer = StoreObserver.NONE;
        private Executor executor = EXECUTOR;
        private Backoff backoff = new Backoff(Duration.ofMillis(1), Duration.ofMillis(20), 0.5);

        private Builder(DynamoDbAsyncClient client, String table) {
            this.client = client;
            this.table = table;
        }

        public Builder clock(InstantSource other) {
            this.clock = other;
            return this;
        }

        Builder checkWriterAfter(Duration pause) {
            this.checkWriterAfter = pause;
            return this;
        }

        Builder surroundings(Surroundings other) {
            this.surroundings = other;
            return this;
        }

        public Builder operationTimeout(Duration timeout) {
            this.operationTimeout = timeout;
            return this;
        }

        public Builder indexed() {
            this.sliceIndex = true;
            return this;
        }

        public Builder marked() {
            this.atomicWrites = AtomicWrites.MARKED;
            return this;
        }

        Builder joinWritesFrom(int writes) {
            this.joinWritesFrom = writes;
            return this;
        }

        Builder highDistrust() {
            this.highDistrust = true;
            return this;
        }

        Builder shards(OptionalInt shards) {
            this.sequenceShards = shards;
            return this;
        }

        public Builder indexShards(int shards) {
            this.indexShards = shards;
            return this;
        }

        Builder replayParallelism(int groups) {
            this.replayParallelism = groups;
            return this;
        }

        public Builder journalName(String name) {
            this.journalName = name;
            return this;
        }

        public Builder observer(StoreObserver other) {
            this.observer = other;
            return this;
        }

        /** Where late answers and retries run. */
        Builder executor(Executor other) {
            this.executor = other;
            return this;
        }

        /** Requests are sent once: each retry would have to wait longer than an operation may take. */
        public Builder withoutRetries() {
            this.backoff = new Backoff(operationTimeout, operationTimeout, 0);
            return this;
        }

        public TestStore build() {
            return new TestStore(this);
        }

        public EventReader reader() {
            return new EventReader(gateway(), settings(), clock);
        }

        public Gateway gateway() {
            GatewaySettings settings =
                    new GatewaySettings(operationTimeout, Duration.ofSeconds(30), backoff, 4, Optional.empty());
            return new Gateway(client, settings, observer, executor, InstantSource.system(), surroundings);
        }

        private EventStoreSettings settings() {
            return new EventStoreSettings(
                    table,
                    journalName,
                    sequenceShards,
                    sliceIndex,
                    indexShards,
                    atomicWrites,
                    joinWritesFrom,
                    ItemSize.MAX,
                    replayParallelism,
                    4,
                    highDistrust,
                    checkWriterAfter);
        }
    }

    public EventStore store() {
        return store;
    }

    /** A new incarnation of the entity: its writes carry another writer's id from now on. */
    TestStore newWriter() {
        this.writer = UUID.randomUUID().toString();
        return this;
    }

    String writer() {
        return writer;
    }

    public static Payload payload(String text) {
        return new Payload(SdkBytes.fromUtf8String(text), 20, "");
    }

    static String text(NewEvent event) {
        return event.payload().bytes().asUtf8String();
    }

    static String text(Event event) {
        return event.payload().bytes().asUtf8String();
    }

    public NewEvent event(long sequenceNumber, String text) {
        return new NewEvent(sequenceNumber, payload(text), writer, "", Optional.empty(), Set.of());
    }

    /** An atomic write whose events say their own number. */
    public AppendRequest write(String persistenceId, long first, long last) {
        return new AppendRequest(
                persistenceId,
                LongStream.rangeClosed(first, last)
                        .mapToObj(n -> event(n, "event-" + n))
                        .toList());
    }

    CompletionStage<List<AppendResult>> append(String persistenceId, CompletionStage<List<AppendRequest>> writes) {
        return store.append(persistenceId, writes, operationTimeout);
    }

    public CompletionStage<List<AppendResult>> appendAsync(String persistenceId, AppendRequest... writes) {
        return append(persistenceId, CompletableFuture.completedFuture(List.of(writes)));
    }

    public AppendResult append(String persistenceId, long first, long last) {
        return await(appendAsync(persistenceId, write(persistenceId, first, last)))
                .get(0);
    }

    /** Single events, one after another. */
    public void appendSingles(String persistenceId, long first, long last) {
        for (long n = first; n <= last; n++) {
            append(persistenceId, n, n);
        }
    }

    /** Events in atomic writes that fit into a transaction each. */
    void fill(String persistenceId, long first, long last) {
        for (long from = first; from <= last; from += 95) {
            append(persistenceId, from, Math.min(last, from + 94));
        }
    }

    public long highest(String persistenceId) {
        return highest(persistenceId, 0);
    }

    long highest(String persistenceId, long hint) {
        return await(store.highestSequenceNumber(persistenceId, hint));
    }

    /** What a recovery from the start delivers. */
    List<Event> recover(String persistenceId) {
        return recover(persistenceId, 1, Long.MAX_VALUE, Long.MAX_VALUE);
    }

    /** A recovery as Pekko does it: the highest number first, then the replay. */
    List<Event> recover(String persistenceId, long from, long to, long max) {
        long highest = highest(persistenceId, Math.max(0, from - 1));
        return replay(persistenceId, from, Math.min(to, highest), max);
    }

    List<Event> replay(String persistenceId, long from, long to, long max) {
        List<Event> events = new ArrayList<>();
        await(store.replay(new Replayer.Range(persistenceId, from, to, max), page -> {
            events.addAll(page);
            return CompletableFuture.completedFuture(null);
        }));
        return events;
    }

    List<Long> recoveredNumbers(String persistenceId) {
        return recover(persistenceId).stream().map(Event::sequenceNumber).toList();
    }

    public void delete(String persistenceId, long to) {
        await(store.delete(persistenceId, to));
    }

    /** A stored item, or an empty map. */
    static Map<String, AttributeValue> item(DynamoDbAsyncClient client, String table, Map<String, AttributeValue> key) {
        return client.getItem(r -> r.tableName(table).key(key).consistentRead(true))
                .join()
                .item();
    }

    public static <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    static URI endpoint() {
        return DynamoDBLocal.shared().endpoint();
    }
}
