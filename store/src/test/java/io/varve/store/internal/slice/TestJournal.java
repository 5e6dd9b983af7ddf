package io.varve.store.internal.slice;

import static java.util.Objects.requireNonNull;

import io.varve.store.Slices;
import io.varve.store.StoreObserver;
import io.varve.store.internal.async.Concurrently;
import io.varve.store.internal.journal.EventReader;
import io.varve.store.internal.journal.TestStore;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.EventId;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** A journal with a slice index of few shards, written past the fault proxy and read through it, by one clock. */
final class TestJournal implements AutoCloseable {
    static final int SHARDS = 4;
    private static final int BATCH = 25;

    private final TestClock clock = new TestClock();
    private final DynamoDbAsyncClient direct;
    private final FaultProxy proxy;
    private final DynamoDbAsyncClient proxied;
    private final String table;
    private final int shards;
    private final JournalKeys keys;
    private final EventItems items;
    private final Set<EventId> hidden = ConcurrentHashMap.newKeySet();
    private final EventReader reader;

    TestJournal(DynamoDbAsyncClient direct, FaultProxy proxy, String table) {
        this(direct, proxy, table, SHARDS);
    }

    TestJournal(DynamoDbAsyncClient direct, FaultProxy proxy, String table, int shards) {
        this(direct, proxy, table, shards, "journal");
        TestStore.createTable(table);
        prepare();
    }

    private TestJournal(DynamoDbAsyncClient direct, FaultProxy proxy, String table, int shards, String name) {
        this.direct = direct;
        this.proxy = proxy;
        this.proxied = proxy.client();
        this.table = table;
        this.shards = shards;
        this.keys = new JournalKeys(name);
        this.items = new EventItems(keys, OptionalInt.of(shards));
        this.reader = reading().reader();
    }

    /** Another journal in the same table. */
    TestJournal sibling(String name) {
        TestJournal sibling = new TestJournal(direct, proxy, table, shards, name);
        sibling.prepare();
        return sibling;
    }

    /** Writes the META item and lets the reader find it. */
    private void prepare() {
        writer(Duration.ZERO).highest("nobody");
        TestStore.await(reader.ready());
        proxy.requests().clear();
    }

    TestClock clock() {
        return clock;
    }

    /** The moment in microseconds, moved. */
    long at(Duration moved) {
        return clock.micros() + moved.toNanos() / 1_000;
    }

    String table() {
        return table;
    }

    /** A node that writes, whose clock is off by {@code skew}. */
    TestStore writer(Duration skew) {
        return builder(direct).clock(clock.movedBy(skew)).build();
    }

    /** A node that writes to this journal through the proxy. */
    TestStore proxiedWriter() {
        return reading().build();
    }

    SliceIndex index() {
        return index(StoreObserver.NONE);
    }

    /** The index, read by a client with an observer. */
    SliceIndex index(StoreObserver observer) {
        return new SliceIndex(reading().observer(observer).gateway(), table, keys, shards);
    }

    EventReader reader() {
        return reader;
    }

    private TestStore.Builder reading() {
        return builder(proxied).clock(clock).withoutRetries();
    }

    private TestStore.Builder builder(DynamoDbAsyncClient client) {
        return TestStore.on(client, table).indexed().indexShards(shards).journalName(keys.journalName());
    }

    /** The persistence id number {@code n} of those of an entity type that belong to a shard. */
    String id(String entityType, int shard, int n) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> entityType + "|" + i)
                .filter(id -> Slices.of(id) / (Slices.NUMBER / shards) == shard)
                .skip(n)
                .findFirst()
                .orElseThrow();
    }

    /** An event that stands alone. */
    static Event event(String persistenceId, long sequenceNumber, long timestamp) {
        return event(persistenceId, sequenceNumber, timestamp, Optional.empty());
    }

    private static Event event(String persistenceId, long sequenceNumber, long timestamp, Optional<Event.Batch> batch) {
        return new Event(
                persistenceId,
                sequenceNumber,
                TestStore.payload("event-" + sequenceNumber),
                "writer",
                "",
                Optional.empty(),
                Set.of(),
                timestamp,
                batch,
                Optional.empty(),
                false);
    }

    /** The events of an atomic write, with timestamps that follow each other. */
    static List<Event> batch(String persistenceId, long first, int size, long timestamp, Optional<String> id) {
        return IntStream.range(0, size)
                .mapToObj(i ->
                        event(persistenceId, first + i, timestamp + i, Optional.of(new Event.Batch(i, size - 1, id))))
                .toList();
    }

    /** Stores events as they are. */
    void put(List<Event> events) {
        List<List<WriteRequest>> batches = new ArrayList<>();
        for (int from = 0; from < events.size(); from += BATCH) {
            batches.add(events.subList(from, Math.min(events.size(), from + BATCH)).stream()
                    .map(event -> WriteRequest.builder()
                            .putRequest(put -> put.item(items.encode(event)))
                            .build())
                    .toList());
        }
        TestStore.await(Concurrently.run(
                batches, 8, batch -> direct.batchWriteItem(r -> r.requestItems(Map.of(table, batch)))));
    }

    void put(Event... events) {
        put(List.of(events));
    }

    void remove(Event event) {
        direct.deleteItem(r -> r.tableName(table).key(keys.eventKey(event.persistenceId(), event.sequenceNumber())))
                .join();
    }

    /** Keeps events out of the index for a while. */
    void hide(Event... events) {
        if (hidden.isEmpty()) {
            proxy.on(RequestMatch.operation("Query"), Fault.hideFromIndex(this::isHidden));
        }
        List.of(events).forEach(event -> hidden.add(id(event)));
    }

    void show(Event... events) {
        List.of(events).forEach(event -> hidden.remove(id(event)));
    }

    private boolean isHidden(Map<String, AttributeValue> item) {
        return hidden.contains(new EventId(
                requireNonNull(item.get("persistence_id")).s(),
                Long.parseLong(requireNonNull(item.get("seq")).n())));
    }

    private static EventId id(Event event) {
        return new EventId(event.persistenceId(), event.sequenceNumber());
    }

    /** All requests, in short. */
    List<String> requests() {
        return proxy.requests().operations();
    }

    /** The requests to the table itself, in short. */
    List<String> tableRequests() {
        return proxy.requests().where(request -> request.index().isEmpty()).operations();
    }

    /** How many index entries were read. */
    int entriesRead() {
        return proxy.requests().where(request -> request.index().isPresent()).requests().stream()
                .mapToInt(request -> request.items())
                .sum();
    }

    @Override
    public void close() {
        proxied.close();
    }
}
