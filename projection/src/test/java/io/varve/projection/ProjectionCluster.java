package io.varve.projection;

import static java.util.Objects.requireNonNull;

import io.varve.projection.javadsl.DynamoDBProjection;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import io.varve.store.internal.layout.Microseconds;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.FaultRule;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import io.varve.testkit.ThrottleCode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.Projection;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.javadsl.SourceProvider;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Two nodes with clocks that differ, before a DynamoDB that is not at its best. */
final class ProjectionCluster implements AutoCloseable {
    static final String ENTITY_TYPE = "cart";
    private static final Duration SKEW = Duration.ofMillis(300);
    private static final int WRITERS = 6;
    /** By when an event is in the index: well within what queries look back. */
    private static final Duration LATEST = Duration.ofSeconds(10);

    private final long seed;
    private final int entities;
    private final String more;
    private final DynamoDbAsyncClient client = DynamoDBLocal.shared().client();
    private final FaultProxy proxy;
    private final ClusterNode.SharedTables tables;
    private final List<ClusterNode> nodes = new ArrayList<>();
    private final ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
    private final Map<String, Maker> projections = new HashMap<>();
    private final ProjectionPart.Scale scale = new ProjectionPart.Scale();
    /** The numbers of the events that were stored once and are no longer. */
    private final Map<String, List<Long>> removed = new HashMap<>();

    /** Nodes that only write, each from a removal of events on: those before remember the last numbers of the entities. */
    private final List<ClusterNode> writingNodes = new ArrayList<>();

    private volatile Duration ahead = Duration.ZERO;
    private final Map<String, Long> met = new ConcurrentHashMap<>();

    ProjectionCluster(long seed, int entities, String more) {
        this.seed = seed;
        this.entities = entities;
        this.more = more;
        this.proxy = FaultProxy.start(DynamoDBLocal.shared().endpoint(), seed).recording(false);
        this.tables = new ClusterNode.SharedTables(
                TableNames.fresh().journal(), "offsets-" + UUID.randomUUID(), "target-" + UUID.randomUUID());
        TestSystem.createTables(client, tables.journal(), tables.offsets(), tables.target());
        nodes.add(node(SKEW));
        nodes.add(node(SKEW.negated()));
        nodes.forEach(node -> node.join(nodes.get(0)));
        nodes.forEach(node -> node.awaitMembers(2));
    }

    private ClusterNode node(Duration skew) {
        return new ClusterNode(
                proxy.endpoint(), tables, () -> Instant.now().plus(skew).plus(ahead), more);
    }

    List<ClusterNode> nodes() {
        return nodes;
    }

    /** How a projection of a range of slices is made on a node. */
    interface Maker {
        Projection<?> make(ActorSystem<?> system, ProjectionId id, int minSlice, int maxSlice);
    }

    /** An exactly-once projection. */
    static Maker storing(NumberHandlers handlers, HandlerRecoveryStrategy recovery) {
        return (system, id, min, max) -> DynamoDBProjection.exactlyOnce(
                        id, Optional.empty(), events(system, min, max), handlers::storing, system)
                .withRecoveryStrategy(recovery);
    }

    /** An exactly-once projection with groups. */
    static Maker storingGroups(NumberHandlers handlers, HandlerRecoveryStrategy recovery) {
        return (system, id, min, max) -> DynamoDBProjection.exactlyOnceGroupedWithin(
                        id, Optional.empty(), events(system, min, max), handlers::storingGroups, system)
                .withRecoveryStrategy(recovery);
    }

    static SourceProvider<Offset, EventEnvelope<String>> events(ActorSystem<?> system, int min, int max) {
        return DynamoDBSourceProvider.eventsBySlices(system, ENTITY_TYPE, min, max);
    }

    /** Runs a projection on all nodes, those that are still to come included, when {@link #scale} says into how many parts. */
    void run(String name, Maker maker) {
        projections.put(name, maker);
        nodes.forEach(node -> run(node, name, maker));
    }

    private void run(ClusterNode node, String name, Maker maker) {
        ProjectionPart.init(
                node,
                name,
                scale,
                (min, max) -> maker.make(node.system(), ProjectionId.of(name, min + "-" + max), min, max));
    }

    /** Cuts the projections into so many parts. */
    void scale(int parts) {
        scale.change(parts);
    }

    /** Writes while the projections are cut anew, and while a node takes the place of another. */
    void writeAndReslice() {
        makeTrouble();
        CompletableFuture<Void> writing = write(0);
        scale(4);
        writing.join();
        writing = write(1);
        scale(8);
        writing.join();
        ClusterNode leaving = exchange();
        writing = write(2);
        leaving.leave();
        scale(2);
        writing.join();
    }

    /** A new node takes the place of the second, which is to leave. */
    private ClusterNode exchange() {
        ClusterNode next = node(SKEW.multipliedBy(2));
        next.join(nodes.get(0));
        next.awaitMembers(3);
        projections.forEach((name, maker) -> run(next, name, maker));
        return nodes.set(1, next);
    }

    /** From now on the table that the handlers change takes nothing; that of the offsets is well. */
    FaultRule throttleHandlers() {
        return proxy.on(
                RequestMatch.operation("TransactWriteItems").table(tables.target()),
                Fault.throttle(ThrottleCode.PROVISIONED_THROUGHPUT_EXCEEDED));
    }

    /** From now on requests fail at random, and events appear late in the index. */
    void makeTrouble() {
        RequestMatch transactions = RequestMatch.operation("TransactWriteItems").table(tables.target());
        proxy.on(transactions.chance(0.02), Fault.resetAfter());
        proxy.on(transactions.chance(0.02), Fault.resetBefore());
        proxy.on(transactions.chance(0.02), Fault.throttle(ThrottleCode.PROVISIONED_THROUGHPUT_EXCEEDED));
        proxy.on(transactions.chance(0.02), Fault.cancelTransaction("TransactionConflict"));
        RequestMatch offsets = RequestMatch.operation("BatchWriteItem").table(tables.offsets());
        proxy.on(offsets.chance(0.05), Fault.unprocessed(3));
        proxy.on(offsets.chance(0.02), Fault.resetAfter());
        proxy.on(offsets.chance(0.02), Fault.internalServerError());
        proxy.on(
                RequestMatch.operation("BatchGetItem").table(tables.offsets()).chance(0.05),
                Fault.throttle(ThrottleCode.THROTTLING));
        RequestMatch writes =
                RequestMatch.operation("PutItem", "TransactWriteItems").table(tables.journal());
        proxy.on(writes.chance(0.01), Fault.resetAfter());
        proxy.on(writes.chance(0.01), Fault.throttle(ThrottleCode.THROTTLING));
        RequestMatch queries = RequestMatch.operation("Query").table(tables.journal());
        proxy.on(queries.chance(0.01), Fault.internalServerError());
        proxy.on(queries.where(request -> request.index().isPresent()), Fault.hideFromIndex(this::isLate));
    }

    /** Every fourth event appears in the index 100 to 600 ms after it could have been seen, if that is not long ago. */
    private boolean isLate(Map<String, AttributeValue> item) {
        String id = requireNonNull(item.get("persistence_id")).s() + "/"
                + requireNonNull(item.get("seq")).n();
        Random random = new Random(id.hashCode() * 31L + seed);
        random.nextInt();
        long written = Long.parseLong(requireNonNull(item.get("ts")).n());
        Instant latest = Microseconds.toInstant(written).plus(LATEST);
        if (random.nextInt(4) > 0 || latest.isBefore(Instant.now().plus(ahead))) {
            return false;
        }
        long now = System.nanoTime();
        long since = met.computeIfAbsent(id, first -> now);
        return now - since < (100 + random.nextInt(500)) * 1_000_000L;
    }

    /** Lets entities on all nodes store events, at the same time. */
    CompletableFuture<Void> write(int round) {
        List<ClusterNode> current =
                writingNodes.isEmpty() ? List.copyOf(nodes) : List.of(writingNodes.get(writingNodes.size() - 1));
        List<CompletableFuture<?>> done = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            int writer = i;
            done.add(CompletableFuture.runAsync(() -> write(round, writer, current), writers));
        }
        return CompletableFuture.allOf(done.toArray(CompletableFuture[]::new));
    }

    private void write(int round, int writer, List<ClusterNode> current) {
        Random random = new Random(seed * 1_000 + round * 100L + writer);
        for (int entity = writer; entity < entities; entity += WRITERS) {
            List<Integer> writes = new ArrayList<>();
            for (int count = random.nextInt(4); count > 0; count--) {
                writes.add(random.nextInt(3) == 0 ? 2 + random.nextInt(3) : 1);
            }
            ClusterNode node = current.get(random.nextInt(current.size()));
            if (!writes.isEmpty()) {
                NumberedEntity.write(node, persistenceId(entity), writes);
            }
        }
    }

    private String persistenceId(int entity) {
        return "%s|%d-%03d".formatted(ENTITY_TYPE, seed, entity);
    }

    /** Removes all that the journal holds of some entities, and lets a minute pass for all nodes. Another one writes from then on. */
    void removeSome(int round) {
        Random random = new Random(seed * 1_000 + round);
        Set<String> some = new HashSet<>();
        for (int entity = 0; entity < entities; entity++) {
            String persistenceId = persistenceId(entity);
            if (random.nextBoolean()) {
                some.add(persistenceId);
                removed.computeIfAbsent(persistenceId, none -> new ArrayList<>())
                        .addAll(NumberChecker.upTo(last(persistenceId)));
            }
        }
        client.scanPaginator(scan -> scan.tableName(tables.journal()).consistentRead(true))
                .items()
                .filter(item ->
                        some.stream().anyMatch(requireNonNull(item.get("par")).s()::contains))
                .subscribe(item -> client.deleteItem(delete -> delete.tableName(tables.journal())
                                .key(Map.of(
                                        "par",
                                        requireNonNull(item.get("par")),
                                        "num",
                                        requireNonNull(item.get("num")))))
                        .join())
                .join();
        met.clear();
        ahead = ahead.plusMinutes(1);
        ClusterNode fresh = node(SKEW.negated());
        fresh.join(nodes.get(0));
        writingNodes.add(fresh);
        fresh.awaitMembers(nodes.size() + writingNodes.size());
    }

    private long last(String persistenceId) {
        return nodes.get(0)
                .journal()
                .currentLastSequenceNumberByPersistenceId(persistenceId)
                .toCompletableFuture()
                .join()
                .orElse(0L);
    }

    NumberHandlers handlers(String projection, double failing) {
        return new NumberHandlers(projection, tables.target(), failing, seed);
    }

    /** Of all events that are stored now, or were removed. */
    NumberChecker checker() {
        Map<String, List<Long>> stored = new HashMap<>();
        for (int entity = 0; entity < entities; entity++) {
            String persistenceId = persistenceId(entity);
            List<Long> numbers = new ArrayList<>(removed.getOrDefault(persistenceId, List.of()));
            numbers.addAll(NumberChecker.upTo(last(persistenceId)));
            if (!numbers.isEmpty()) {
                stored.put(persistenceId, numbers);
            }
        }
        return new NumberChecker(client, tables.target(), stored);
    }

    @Override
    public void close() {
        writers.shutdownNow();
        proxy.clear();
        scale.change(0);
        nodes.forEach(ClusterNode::close);
        writingNodes.forEach(ClusterNode::close);
        proxy.close();
        client.close();
    }
}
