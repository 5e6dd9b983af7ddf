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
import java.util.function.IntFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Random writes by two nodes whose clocks differ, index entries that appear late and in any order, published events of which half
 * are lost, page sizes from 1, a consumer that pauses for long, and one that is restarted at random: from one offset for each
 * slice, or from the last offset that it handled. {@code -Dvarve.first-seed=5 -Dvarve.seeds=100} runs others.
 */
@DynamoDBTest
class SliceQueryRandomTest {
    private static final Duration SKEW = Duration.ofSeconds(2);
    private static final Duration WINDOW = Duration.ofMinutes(2);

    private final DynamoDbAsyncClient direct;
    private final FaultProxy proxy;
    private final TableNames names;

    SliceQueryRandomTest(DynamoDbAsyncClient direct, FaultProxy proxy, TableNames names) {
        this.direct = direct;
        this.proxy = proxy;
        this.names = names;
    }

    static LongStream seeds() {
        long first = Long.getLong("varve.first-seed", 1);
        return LongStream.range(first, first + Long.getLong("varve.seeds", 1));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyEvent_whateverIsLate_comesOnceAndInOrder(long seed) {
        try (TestJournal journal = new TestJournal(direct, proxy, names.journal())) {
            // Found by the last pass at the latest, which comes after ten minutes.
            new Scenario(journal, new Random(seed), Duration.ofMinutes(9), 0).run(seed % 2 == 0);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void restartedFromOneOffset_missesNothing(long seed) {
        try (TestJournal journal = new TestJournal(direct, proxy, names.journal())) {
            new Scenario(journal, new Random(seed), Duration.ofSeconds(7), 0.05).run(false);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void restartedFromAnOffsetForEachSlice_missesNothing(long seed) {
        try (TestJournal journal = new TestJournal(direct, proxy, names.journal())) {
            new Scenario(journal, new Random(seed), Duration.ofSeconds(7), 0.05).run(true);
        }
    }

    /** One journal and one consumer, until everything has been written and found. */
    private final class Scenario {
        private final TestJournal journal;
        private final Random random;
        private final Duration lateness;
        private final double restarts;
        private final Map<String, Event> entities = new HashMap<>();
        private final Map<EventId, Long> visibleFrom = new HashMap<>();
        private final SliceRange range;
        private final SliceQuerySettings settings;
        private final Set<EventId> handled = new HashSet<>();
        private final Map<Integer, SliceStart> slices = new HashMap<>();
        private SliceStart all = SliceStart.BEGINNING;

        Scenario(TestJournal journal, Random random, Duration lateness, double restarts) {
            this.journal = journal;
            this.random = random;
            this.lateness = lateness;
            this.restarts = restarts;
            int min = random.nextInt(Slices.NUMBER / 2);
            this.range = new SliceRange("cart", min, min + Slices.NUMBER / 2 - 1);
            this.settings = new SliceQuerySettings(
                    List.of(1, 2, 7, 100).get(random.nextInt(4)),
                    Duration.ofSeconds(3),
                    Duration.ofMillis(100),
                    Duration.ofSeconds(10),
                    WINDOW,
                    Optional.of(new SliceQuerySettings.Sweep(Duration.ofMinutes(1), Duration.ofMinutes(10))),
                    4,
                    3,
                    10_000);
        }

        void run(boolean perSlice) {
            proxy.recording(false).on(RequestMatch.operation("Query"), Fault.hideFromIndex(this::isHidden));
            int rounds = 80;
            int round = 0;
            while (round < rounds) {
                IntFunction<SliceStart> starts = starts(perSlice);
                try (TestSliceQuery query = new TestSliceQuery(
                        journal,
                        settings,
                        new SliceQuery.Plan((type, slice) -> starts.apply(slice), perSlice, true),
                        range)) {
                    Checker checker = new Checker(starts);
                    boolean restart = false;
                    for (; round < rounds && !restart; round++) {
                        write(query);
                        int most = random.nextInt(4) == 0 ? random.nextInt(20) : Integer.MAX_VALUE;
                        query.take(most).forEach(event -> handle(event, checker));
                        restart = random.nextDouble() < restarts;
                        journal.clock()
                                .advance(
                                        random.nextInt(50) == 0
                                                ? Duration.ofMinutes(random.nextInt(20))
                                                : Duration.ofMillis(random.nextInt(2_000)));
                    }
                    if (round == rounds) {
                        List<Event> rest = restarts == 0
                                ? query.takeDuring(Duration.ofMinutes(22), Duration.ofSeconds(20))
                                : query.takeDuring(Duration.ofMinutes(1), Duration.ofSeconds(2));
                        rest.forEach(event -> handle(event, checker));
                        assertThat(query.failure()).isEmpty();
                    }
                }
            }
            Set<EventId> expected = new HashSet<>();
            entities.forEach((persistenceId, last) -> {
                for (long n = 1; n <= last.sequenceNumber() && range.contains(persistenceId); n++) {
                    expected.add(new EventId(persistenceId, n));
                }
            });
            assertThat(handled).isEqualTo(expected);
        }

        private IntFunction<SliceStart> starts(boolean perSlice) {
            Map<Integer, SliceStart> bySlice = Map.copyOf(slices);
            SliceStart one = all;
            return slice -> perSlice ? bySlice.getOrDefault(slice, SliceStart.BEGINNING) : one;
        }

        private void write(TestSliceQuery query) {
            List<List<Event>> writes = new ArrayList<>();
            for (int i = random.nextInt(8); i > 0; i--) {
                writes.add(write());
            }
            journal.put(writes.stream().flatMap(List::stream).toList());
            writes.stream()
                    .filter(events -> random.nextBoolean())
                    .forEach(events -> query.query().published(events));
        }

        /** An entity moves between two nodes; as after a recovery, its timestamps go on. */
        private List<Event> write() {
            String type = random.nextInt(10) == 0 ? "other" : "cart";
            String persistenceId = type + "|" + random.nextInt(100);
            Event last = entities.getOrDefault(persistenceId, TestJournal.event(persistenceId, 0, 0));
            int size = random.nextInt(5) == 0 ? 2 + random.nextInt(4) : 1;
            long timestamp = Math.max(last.timestamp() + 1, journal.at(random.nextBoolean() ? SKEW : SKEW.negated()));
            long first = last.sequenceNumber() + 1;
            Optional<String> chain = random.nextBoolean() ? Optional.of("chain-" + first) : Optional.empty();
            List<Event> events = size == 1
                    ? List.of(TestJournal.event(persistenceId, first, timestamp))
                    : TestJournal.batch(persistenceId, first, size, timestamp, chain);
            long visible = random.nextInt(3) == 0 ? random.nextLong(lateness.toNanos() / 1_000) : 0;
            synchronized (visibleFrom) {
                for (Event event : events) {
                    long jitter = visible == 0 ? 0 : random.nextLong(visible);
                    visibleFrom.put(
                            new EventId(persistenceId, event.sequenceNumber()),
                            journal.clock().micros() + jitter);
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

        private void handle(Event event, Checker checker) {
            checker.check(event, handled);
            handled.add(new EventId(event.persistenceId(), event.sequenceNumber()));
            all = later(all, event);
            slices.merge(
                    Slices.of(event.persistenceId()),
                    new SliceStart(event.timestamp(), Map.of(event.persistenceId(), event.sequenceNumber())),
                    (before, ignored) -> later(before, event));
        }

        private SliceStart later(SliceStart before, Event event) {
            if (event.timestamp() < before.timestamp()) {
                return before;
            }
            Map<String, Long> seen =
                    event.timestamp() > before.timestamp() ? new HashMap<>() : new HashMap<>(before.seen());
            seen.put(event.persistenceId(), event.sequenceNumber());
            return new SliceStart(event.timestamp(), seen);
        }

        /** Holds for each run: in order, nothing twice, and of what was handled before only the window's. */
        private final class Checker {
            private final IntFunction<SliceStart> starts;
            private final Map<String, Long> last = new HashMap<>();

            Checker(IntFunction<SliceStart> starts) {
                this.starts = starts;
            }

            void check(Event event, Set<EventId> before) {
                String persistenceId = event.persistenceId();
                assertThat(range.contains(persistenceId)).as(persistenceId).isTrue();
                Long previous = last.put(persistenceId, event.sequenceNumber());
                if (previous != null) {
                    assertThat(event.sequenceNumber())
                            .as("the number of '%s' after %s", persistenceId, previous)
                            .isEqualTo(previous + 1);
                }
                EventId id = new EventId(persistenceId, event.sequenceNumber());
                if (before.contains(id)) {
                    long start = starts.apply(Slices.of(persistenceId)).timestamp();
                    assertThat(event.timestamp())
                            .as("%s comes again", id)
                            .isGreaterThanOrEqualTo(start - WINDOW.toNanos() / 1_000);
                } else if (previous == null) {
                    List<EventId> missing = new ArrayList<>();
                    for (long n = 1; n < event.sequenceNumber(); n++) {
                        if (!before.contains(new EventId(persistenceId, n))) {
                            missing.add(new EventId(persistenceId, n));
                        }
                    }
                    assertThat(missing).as("not handled before %s", id).isEmpty();
                }
            }
        }
    }
}
