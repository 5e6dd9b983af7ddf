package io.varve.store.internal.slice;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.store.SliceRange;
import io.varve.store.Slices;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.EventId;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * A consumer of several entity types that keeps places and floors, in one to four instances. Its slices are divided anew at random,
 * in the middle of shards, too, and old instances run on for a while beside the new ones. Some are slow, pauses are long, entries
 * are late, half of the published events are lost, and one type is of interest from some day on. {@code -Dvarve.first-seed=5
 * -Dvarve.seeds=100} runs others.
 */
@DynamoDBTest
class SliceRescalingRandomTest {
    private static final Duration SKEW = Duration.ofSeconds(2);
    private static final Duration LATENESS = Duration.ofSeconds(7);
    private static final int ROUNDS = 90;
    private static final String NEWLY_TAGGED = "new";

    private final DynamoDbAsyncClient direct;
    private final FaultProxy proxy;
    private final TableNames names;

    SliceRescalingRandomTest(DynamoDbAsyncClient direct, FaultProxy proxy, TableNames names) {
        this.direct = direct;
        this.proxy = proxy;
        this.names = names;
    }

    static LongStream seeds() {
        long first = Long.getLong("varve.first-seed", 1);
        return LongStream.range(first, first + Long.getLong("varve.seeds", 2));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void divisionsAnew_missNothing_andEachRunIsInOrder(long seed) {
        try (TestJournal journal = new TestJournal(direct, proxy, names.journal())) {
            new Scenario(journal, new Random(seed)).run();
        }
    }

    private record TypedSlice(String entityType, int slice) {}

    private final class Scenario {
        private final TestJournal journal;
        private final Random random;
        private final SliceQuerySettings settings;
        private final Map<String, Event> entities = new HashMap<>();
        private final Map<EventId, Long> visibleFrom = new HashMap<>();
        private final Set<EventId> expected = new HashSet<>();
        private final Set<EventId> handled = new HashSet<>();
        private final Map<TypedSlice, SliceStart> places = new HashMap<>();
        private final Map<SliceRange, Long> floors = new HashMap<>();
        private final Set<String> types = new TreeSet<>(List.of("cart", "order"));
        private final List<Instance> leaving = new ArrayList<>();
        private final int taggedFrom;
        private List<Instance> instances = new ArrayList<>();
        private long asked;
        private int rescaled;
        private boolean firstOfNewType = true;

        Scenario(TestJournal journal, Random random) {
            this.journal = journal;
            this.random = random;
            this.taggedFrom = ROUNDS / 4 + random.nextInt(ROUNDS / 2);
            this.settings = new SliceQuerySettings(
                    List.of(1, 2, 7, 100).get(random.nextInt(4)),
                    Duration.ofSeconds(3),
                    Duration.ofMillis(100),
                    Duration.ofSeconds(10),
                    Duration.ofMinutes(2),
                    Optional.of(new SliceQuerySettings.Sweep(Duration.ofMinutes(1), Duration.ofMinutes(10))),
                    4,
                    3,
                    10_000);
        }

        void run() {
            proxy.recording(false).on(RequestMatch.operation("Query"), Fault.hideFromIndex(this::isHidden));
            for (int i = 0;
                    i < 20;
                    i++) { // a backlog of hours, so that the instances of the beginning are at different times
                write();
                journal.clock().advance(Duration.ofMinutes(10));
            }
            divide();
            for (int round = 0; round < ROUNDS; round++) {
                if (round == taggedFrom) {
                    types.add(NEWLY_TAGGED); // noted before its first event is stored
                }
                write();
                ask();
                instances.forEach(Instance::take);
                leaving.forEach(Instance::take);
                if (random.nextInt(5) == 0) {
                    leaving.forEach(Instance::close);
                    leaving.clear();
                }
                if (random.nextInt(round < 10 ? 2 : 10) == 0) {
                    divide();
                }
                journal.clock()
                        .advance(
                                random.nextInt(30) == 0
                                        ? Duration.ofMinutes(random.nextInt(20))
                                        : Duration.ofMillis(random.nextInt(2_000)));
            }
            leaving.forEach(Instance::close);
            for (int second = 0; second < 60; second += 2) {
                journal.clock().advance(Duration.ofSeconds(2));
                instances.forEach(Instance::takeAll);
            }
            instances.forEach(Instance::close);
            assertThat(rescaled).as("divisions anew").isPositive();
            assertThat(handled).containsAll(expected);
        }

        /** Other instances, each with a part of the slices, of which some go on for a while. */
        private void divide() {
            rescaled += instances.isEmpty() ? 0 : 1;
            for (Instance instance : instances) {
                if (random.nextBoolean()) {
                    leaving.add(instance);
                } else {
                    instance.close();
                }
            }
            instances = new ArrayList<>();
            TreeSet<Integer> bounds = new TreeSet<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                bounds.add(1 + random.nextInt(Slices.NUMBER - 1));
            }
            int first = 0;
            for (int bound : bounds) {
                instances.add(new Instance(first, bound - 1));
                first = bound;
            }
            instances.add(new Instance(first, Slices.NUMBER - 1));
        }

        /** Which entity types are of interest; what is new had no event of interest when it was asked for the last time. */
        private void ask() {
            long before = asked;
            asked = journal.clock().micros();
            if (types.contains(NEWLY_TAGGED) && firstOfNewType) {
                firstOfNewType = false;
                floors.put(SliceRange.all(NEWLY_TAGGED), before);
                instances.forEach(instance -> instance.readNewType(before));
            }
        }

        private SliceStart start(String entityType, int slice) {
            SliceStart place = places.get(new TypedSlice(entityType, slice));
            return place != null
                    ? place
                    : floors.entrySet().stream()
                            .filter(floor -> floor.getKey().contains(new SliceRange(entityType, slice, slice)))
                            .mapToLong(Map.Entry::getValue)
                            .max()
                            .stream()
                            .mapToObj(floor -> new SliceStart(floor, Map.of()))
                            .findFirst()
                            .orElse(SliceStart.BEGINNING);
        }

        private void write() {
            for (int i = random.nextInt(8); i > 0; i--) {
                List<Event> events = next();
                journal.put(events);
                for (Instance instance : instances) {
                    if (random.nextBoolean()) {
                        instance.query.query().published(events);
                    }
                }
            }
        }

        /** Few entities, so that slices have their first events late. */
        private List<Event> next() {
            String type = List.of("cart", "order", NEWLY_TAGGED, "other").get(random.nextInt(4));
            String persistenceId = type + "|" + Integer.toHexString(random.nextInt(60) * 0x9E3779B9);
            Event last = entities.getOrDefault(persistenceId, TestJournal.event(persistenceId, 0, 0));
            int size = random.nextInt(5) == 0 ? 2 + random.nextInt(4) : 1;
            long first = last.sequenceNumber() + 1;
            long timestamp = Math.max(last.timestamp() + 1, journal.at(random.nextBoolean() ? SKEW : SKEW.negated()));
            List<Event> events = size == 1
                    ? List.of(TestJournal.event(persistenceId, first, timestamp))
                    : TestJournal.batch(persistenceId, first, size, timestamp, Optional.empty());
            for (Event event : events) {
                long late = random.nextInt(3) == 0 ? random.nextLong(LATENESS.toNanos() / 1_000) : 0;
                EventId id = new EventId(persistenceId, event.sequenceNumber());
                synchronized (visibleFrom) {
                    visibleFrom.put(id, journal.clock().micros() + late);
                }
                if (types.contains(type)) {
                    expected.add(id);
                }
            }
            entities.put(persistenceId, events.get(size - 1));
            return events;
        }

        private boolean isHidden(Map<String, AttributeValue> item) {
            EventId id = new EventId(
                    requireNonNull(item.get("persistence_id")).s(),
                    Long.parseLong(requireNonNull(item.get("seq")).n()));
            synchronized (visibleFrom) {
                return visibleFrom.getOrDefault(id, 0L) > journal.clock().micros();
            }
        }

        private void handle(SliceEvent delivery) {
            Event event = delivery.event();
            String persistenceId = event.persistenceId();
            handled.add(new EventId(persistenceId, event.sequenceNumber()));
            TypedSlice slice = new TypedSlice(Slices.entityType(persistenceId), Slices.of(persistenceId));
            SliceStart before = places.getOrDefault(slice, SliceStart.BEGINNING);
            if (event.timestamp() >= before.timestamp()) {
                Map<String, Long> seen =
                        new HashMap<>(event.timestamp() == before.timestamp() ? before.seen() : Map.of());
                seen.put(persistenceId, event.sequenceNumber());
                places.put(slice, new SliceStart(event.timestamp(), seen));
            }
            floors.merge(delivery.slices(), delivery.floor(), Math::max);
        }

        /** From one start to its end: in order, and nothing twice. */
        private final class Instance {
            private final int min;
            private final int max;
            private final int pace = random.nextInt(3);
            private final Map<String, Long> last = new HashMap<>();
            private final TestSliceQuery query;

            Instance(int min, int max) {
                this.min = min;
                this.max = max;
                Map<TypedSlice, SliceStart> starts = new HashMap<>();
                for (String type : List.of("cart", "order", NEWLY_TAGGED)) {
                    for (int slice = min; slice <= max; slice++) {
                        starts.put(new TypedSlice(type, slice), start(type, slice));
                    }
                }
                this.query = new TestSliceQuery(
                        journal,
                        settings,
                        new SliceQuery.Plan(
                                (type, slice) -> requireNonNull(starts.get(new TypedSlice(type, slice))), true, true),
                        types.stream()
                                .filter(type -> !type.equals(NEWLY_TAGGED) || !firstOfNewType)
                                .map(type -> new SliceRange(type, min, max))
                                .toArray(SliceRange[]::new));
            }

            void readNewType(long since) {
                query.query().read(List.of(new SliceRange(NEWLY_TAGGED, min, max)), new SliceStart(since, Map.of()));
            }

            void take() {
                int most = pace == 0 ? random.nextInt(3) : pace == 1 ? random.nextInt(30) : Integer.MAX_VALUE;
                query.takeDeliveries(most).forEach(this::check);
            }

            void takeAll() {
                query.takeDeliveries(Integer.MAX_VALUE).forEach(this::check);
                assertThat(query.failure()).isEmpty();
            }

            private void check(SliceEvent delivery) {
                Event event = delivery.event();
                int slice = Slices.of(event.persistenceId());
                assertThat(slice).isBetween(min, max);
                Long previous = last.put(event.persistenceId(), event.sequenceNumber());
                if (previous != null) {
                    assertThat(event.sequenceNumber())
                            .as("the number of '%s' after %s", event.persistenceId(), previous)
                            .isEqualTo(previous + 1);
                }
                handle(delivery);
            }

            void close() {
                query.close();
            }
        }
    }
}
