package io.varve.projection;

import static io.varve.projection.TestBench.await;
import static io.varve.projection.TestEvents.event;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.projection.TestBench.How;
import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.projection.internal.event.Position;
import io.varve.projection.internal.pekko.PekkoRecovery;
import io.varve.projection.internal.progress.OffsetSaver;
import io.varve.projection.internal.progress.Transactions;
import io.varve.store.internal.offset.OffsetSettings;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.ThrottleCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.pekko.Done;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.javadsl.Handler;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * Two entity types under one name, whose events are dropped, late or the late first of their slice, one or several at once;
 * instances that become more or fewer, overlap, are throttled, die at any write or with a late event under way, and whose handlers
 * fail. With exactly-once each event is applied once, in order. With at-least-once each is handled, in order, and again after a
 * rewind, whatever an instance that was cut off writes after it. More seeds: {@code -Dvarve.seeds=100 -Dvarve.first-seed=5}.
 */
class ProjectionRandomTest {
    private static final int SLICES = 16;
    private static final int PER_SHARD = 8;
    private static final int ROUNDS = 8;
    private static final long MINUTE = 60_000_000;
    private static final RequestMatch WRITES = RequestMatch.operation("TransactWriteItems", "BatchWriteItem");
    private static final Fault DEAD = Fault.error(400, "ValidationException", "dead");

    private static TestBench bench;
    private static FaultProxy proxy;
    private static DynamoDbAsyncClient client;
    private static final List<WarningsOf> WARNINGS = new ArrayList<>();

    private final String name = TestBench.freshName();
    private final Map<String, Long> numbers = new HashMap<>();
    private final Map<String, List<EventEnvelope<String>>> visible = new HashMap<>();
    private final Set<EventEnvelope<String>> dropped = new HashSet<>();
    private final Map<String, List<Long>> handled = new HashMap<>();
    private boolean atLeastOnce;
    private long now = 100 * MINUTE;

    @BeforeAll
    static void start() {
        bench = new TestBench();
        proxy = FaultProxy.start(DynamoDBLocal.shared().endpoint());
        client = proxy.client();
        for (Class<?> logger : List.of(Transactions.class, OffsetSaver.class, PekkoRecovery.class)) {
            WARNINGS.add(new WarningsOf(logger));
        }
    }

    @AfterAll
    static void stop() {
        WARNINGS.forEach(WarningsOf::close);
        client.close();
        proxy.close();
        bench.close();
    }

    static LongStream seeds() {
        long first = Long.getLong("varve.first-seed", 1);
        return LongStream.range(first, first + Long.getLong("varve.seeds", 2));
    }

    private static OffsetTable table(DynamoDbAsyncClient through, String projection, String type) {
        return bench.table(through, projection, Duration.ofSeconds(30), OffsetSettings.DEFAULT.withEntityType(type));
    }

    /** The next event of an entity, which an adapter drops if so. */
    private EventEnvelope<String> next(Random random, String type, int slice, long timestamp) {
        List<String> ids = TestEvents.ofSlice(type, slice, 2);
        String id = ids.get(random.nextInt(ids.size()));
        EventEnvelope<String> event = event(id, numbers.merge(id, 1L, Long::sum), timestamp);
        if (random.nextInt(4) == 0) {
            dropped.add(event);
        }
        return event;
    }

    private List<EventEnvelope<String>> visible(String type) {
        return visible.computeIfAbsent(type, none -> new ArrayList<>());
    }

    /** Events of the last minutes; most slices have none for long. */
    private void write(Random random, String type) {
        for (int i = random.nextInt(20); i > 0; i--) {
            now += random.nextInt(3) == 0 ? random.nextInt(2) : random.nextInt((int) MINUTE);
            visible(type).add(next(random, type, random.nextInt(SLICES), now));
        }
        if (random.nextInt(4) == 0) {
            now += 70 * MINUTE;
        }
    }

    /** Those of some slices, in the order in which a query brings them. */
    private List<EventEnvelope<String>> of(String type, int min, int max) {
        return visible(type).stream()
                .filter(event -> event.slice() >= min && event.slice() <= max)
                .sorted(Comparator.comparingLong(event -> Position.of(event).timestamp()))
                .toList();
    }

    private TestEvents source(Random random, String type, int min, int max) {
        TestEvents source = new TestEvents(min, max).withEntityType(type).withWindow(Duration.ofMinutes(2));
        if (random.nextInt(4) > 0) {
            source.withSlicesPerShard(PER_SHARD);
        }
        source.bring(of(type, min, max));
        dropped.stream().filter(event -> event.entityType().equals(type)).forEach(source::storeDropped);
        return source;
    }

    private How how(Random random) {
        How plain = How.plain().groups(1 + random.nextInt(5));
        return random.nextBoolean()
                ? plain
                : new How(
                        settings -> settings.withSliceFlushInterval(Duration.ofMillis(2)),
                        plain.recovery(),
                        plain.saveSize(),
                        plain.groupSize());
    }

    private DeliveryModes<EventEnvelope<String>> mode(Random random, Fails fails) {
        if (atLeastOnce) {
            return random.nextBoolean()
                    ? DeliveryModes.atLeastOnce(() -> Handler.fromFunction(event -> handle(List.of(event), fails)))
                    : DeliveryModes.atLeastOnceGrouped(() -> Handler.fromFunction(events -> handle(events, fails)));
        }
        return switch (random.nextInt(3)) {
            case 0 -> TestBench.transacting(event -> apply(List.of(event), fails), 1 + random.nextInt(4));
            case 1 ->
                TestBench.committing(
                        event -> apply(List.of(event), fails), 1 + random.nextInt(3), 2 + random.nextInt(5));
            default -> TestBench.transactingGroups(events -> apply(events, fails));
        };
    }

    /** When a handler fails. */
    private interface Fails {
        boolean at(EventEnvelope<String> event);
    }

    private CompletionStage<Collection<TransactWriteItem>> apply(List<EventEnvelope<String>> events, Fails fails) {
        return events.stream().anyMatch(fails::at)
                ? CompletableFuture.failedFuture(new IllegalStateException("fails"))
                : CompletableFuture.completedFuture(bench.changes(name, events));
    }

    private CompletionStage<Done> handle(List<EventEnvelope<String>> events, Fails fails) {
        if (events.stream().anyMatch(fails::at)) {
            return CompletableFuture.failedFuture(new IllegalStateException("fails"));
        }
        synchronized (handled) {
            events.forEach(event -> handled.computeIfAbsent(event.persistenceId(), id -> new ArrayList<>())
                    .add(event.sequenceNr()));
        }
        return CompletableFuture.completedFuture(Done.getInstance());
    }

    private static void ended(CompletionStage<Done> run) {
        run.handle((done, thrown) -> null).toCompletableFuture().join();
    }

    /** An instance that ends by itself, by its handler, or because none of its writes comes through any more; or is throttled. */
    private void runOne(Random random, String type, int min, int max) {
        int end = random.nextInt(5);
        if (end == 3) {
            proxy.on(
                    WRITES.skip(random.nextInt(15)).times(1 + random.nextInt(8)),
                    Fault.throttle(ThrottleCode.THROTTLING));
        }
        AtomicInteger calls = new AtomicInteger(end == 1 ? random.nextInt(10) : Integer.MAX_VALUE);
        if (end == 2) {
            int survive = random.nextInt(15);
            proxy.on(WRITES.skip(survive).times(1), random.nextBoolean() ? Fault.resetAfter() : DEAD);
            proxy.on(WRITES.skip(survive), DEAD);
        }
        ended(bench.run(
                name,
                source(random, type, min, max),
                mode(random, event -> calls.getAndDecrement() == 0),
                table(client, name, type),
                how(random)));
        proxy.clear();
    }

    /** Two instances of slices that overlap, at the same time. */
    private void runOverlapping(Random random, String type) {
        List<CompletionStage<Done>> both = new ArrayList<>();
        for (int min : List.of(0, 4)) {
            both.add(bench.run(
                    name,
                    source(random, type, min, SLICES - 1),
                    mode(random, event -> false),
                    table(client, name, type),
                    how(random)));
        }
        both.forEach(ProjectionRandomTest::ended);
    }

    /** Events that are later than a restart looks for. When the first reaches the handler, that fails, or the node dies. */
    private void runWithLateEvents(Random random, String type) {
        TestEvents source = source(random, type, 0, SLICES - 1);
        List<EventEnvelope<String>> late = new ArrayList<>();
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            TestEvents.ofSlice(type, random.nextInt(SLICES), 12).stream()
                    .filter(id -> !numbers.containsKey(id))
                    .findFirst()
                    .ifPresent(unused -> {
                        numbers.put(unused, 1L);
                        late.add(event(unused, 1, now - (9 + random.nextInt(40)) * MINUTE));
                    });
        }
        if (late.isEmpty()) {
            return;
        }
        source.bringLate(late);
        boolean dies = random.nextBoolean();
        Set<String> ids = late.stream().map(EventEnvelope::persistenceId).collect(Collectors.toSet());
        AtomicBoolean reached = new AtomicBoolean();
        ended(bench.run(
                name,
                source,
                mode(random, event -> {
                    if (!ids.contains(event.persistenceId()) || reached.getAndSet(true)) {
                        return false;
                    }
                    if (dies) {
                        proxy.on(WRITES, DEAD);
                    }
                    return !dies;
                }),
                table(client, name, type),
                how(random)));
        proxy.clear();
        assertThat(reached).as("a handler was called for %s", ids).isTrue();
        visible(type).addAll(late);
    }

    /** Clears the offset of a slice while the first write of an instance is on its way, which arrives after that. */
    private void runAndRewind(Random random, String type) {
        int slice = random.nextInt(SLICES);
        now += MINUTE;
        EventEnvelope<String> fresh = event(TestEvents.ofSlice(type, slice, 3).get(2), 1, now);
        if (numbers.putIfAbsent(fresh.persistenceId(), 1L) != null) {
            return;
        }
        visible(type).add(fresh); // so that there is something to write
        Gate gate = proxy.hold(WRITES);
        CompletionStage<Done> stale = bench.run(
                name,
                source(random, type, 0, SLICES - 1),
                mode(random, event -> false),
                table(client, name, type),
                How.plain());
        gate.awaitArrival();
        await(table(bench.test().client(), name, type).clear(slice, slice));
        gate.releaseAll();
        ended(stale);
        proxy.clear();
        visible(type).stream()
                .filter(event -> event.slice() == slice)
                .forEach(event -> handled.remove(event.persistenceId()));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void eachEventIsHandledAtLeastOnce_inOrder_andAgainAfterARewind(long seed) {
        atLeastOnce = true;
        run(seed);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void eachEventIsAppliedOnce_inOrder(long seed) {
        run(seed);
    }

    private void run(long seed) {
        Random random = new Random(seed);
        List<String> types = List.of("cart", "order");
        types.forEach(type -> visible.put(type, new ArrayList<>()));
        for (int round = 0; round < ROUNDS; round++) {
            for (String type : types) {
                write(random, type);
                switch (random.nextInt(atLeastOnce ? 5 : 4)) {
                    case 0 -> runOverlapping(random, type);
                    case 1 -> runWithLateEvents(random, type);
                    case 4 -> runAndRewind(random, type);
                    default -> {
                        int parts = 1 << random.nextInt(3);
                        for (int part = 0; part < parts; part++) {
                            int size = SLICES / parts;
                            runOne(random, type, part * size, part * size + size - 1);
                        }
                    }
                }
            }
        }
        for (String type : types) {
            await(bench.run(
                    name,
                    source(random, type, 0, SLICES - 1),
                    mode(random, event -> false),
                    table(client, name, type),
                    How.plain()));
            assertThat(applied(type)).as("seed %s, %s", seed, type).isEqualTo(expected(type));
        }
    }

    private Map<String, List<Long>> expected(String type) {
        Map<String, List<Long>> expected = new HashMap<>();
        for (EventEnvelope<String> event : of(type, 0, SLICES - 1)) {
            List<Long> all = expected.computeIfAbsent(event.persistenceId(), id -> new ArrayList<>());
            if (!dropped.contains(event)) {
                all.add(event.sequenceNr());
            }
        }
        return expected;
    }

    private Map<String, List<Long>> applied(String type) {
        Map<String, List<Long>> applied = new HashMap<>();
        expected(type)
                .keySet()
                .forEach(id -> applied.put(
                        id,
                        atLeastOnce
                                ? handled.getOrDefault(id, List.of()).stream()
                                        .distinct()
                                        .toList()
                                : bench.applied(name, id)));
        return applied;
    }
}
