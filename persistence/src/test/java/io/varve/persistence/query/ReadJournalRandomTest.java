package io.varve.persistence.query;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.varve.persistence.DynamoDBClients;
import io.varve.persistence.journal.TestEntity;
import io.varve.persistence.journal.TestJournal;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.store.Slices;
import io.varve.store.internal.layout.EventId;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.persistence.journal.Tagged;
import org.apache.pekko.persistence.query.NoOffset;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.persistence.query.TimestampOffset;
import org.apache.pekko.serialization.Serialization;
import org.apache.pekko.serialization.SerializationExtension;
import org.apache.pekko.serialization.Serializer;
import org.apache.pekko.serialization.Serializers;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Hundreds of entities on two nodes whose clocks differ, an index whose entries appear late and in any order, pages of any size,
 * and a consumer that stops now and then and goes on from what it keeps: the offset of its last event, or one for each slice. It
 * reads one entity type by slices, or several by tag, one of which is tagged from some round on. {@code -Dvarve.first-seed=5
 * -Dvarve.seeds=100} runs others.
 */
class ReadJournalRandomTest {
    private static final Duration SKEW = Duration.ofMillis(200);
    private static final Duration LATENESS = Duration.ofMillis(700);
    private static final Duration BACKTRACKING = Duration.ofMillis(1_200);
    private static final Duration WINDOW = Duration.ofSeconds(5);
    private static final int ENTITIES = 240;
    private static final int ROUNDS = 25;

    private static final String TAG = "tag";

    private enum Mode {
        ONE_OFFSET,
        SLICE_OFFSETS,
        TAG_WITH_ONE_OFFSET,
        TAG_WITH_SLICE_OFFSETS;

        boolean byTag() {
            return this == TAG_WITH_ONE_OFFSET || this == TAG_WITH_SLICE_OFFSETS;
        }

        boolean perSlice() {
            return this == SLICE_OFFSETS || this == TAG_WITH_SLICE_OFFSETS;
        }
    }

    /** An event as either kind of envelope has it. */
    private record Found(String id, long number, Object event, long timestamp, Offset offset) {}

    static Stream<Arguments> seeds() {
        long first = Long.getLong("varve.first-seed", 1);
        return LongStream.range(first, first + Long.getLong("varve.seeds", 1))
                .boxed()
                .flatMap(seed -> Stream.of(Mode.values()).map(mode -> Arguments.of(seed, mode)));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyEvent_comesInOrder_andAgainOnlyAfterARestart(long seed, Mode mode) {
        Random random = new Random(seed);
        String table = TestJournal.createTable();
        try (FaultProxy proxy = FaultProxy.start(DynamoDBLocal.shared().endpoint())) {
            proxy.recording(false);
            List<ActorSystem> nodes =
                    List.of(node(proxy, table, random, SKEW), node(proxy, table, random, SKEW.negated()));
            try {
                new Scenario(nodes, random, mode).run(proxy);
            } finally {
                nodes.forEach(TestKit::shutdownActorSystem);
            }
        }
    }

    private static ActorSystem node(FaultProxy proxy, String table, Random random, Duration skew) {
        ActorSystem node = ActorSystem.create(
                "random", TestJournal.config(DynamoDBLocal.shared().endpoint(), table, """
                        dynamodb-journal.slice-index.shards = 8
                        dynamodb-read-journal {
                          client.local.port = %d
                          page-size = %d
                          refresh-interval = 100 ms
                          behind-current-time = 50 ms
                          backtracking { behind-current-time = %d ms, window = %d ms }
                          sweep { interval = 1 s, window = 6 s }
                        }
                        """.formatted(
                                proxy.endpoint().getPort(),
                                List.of(1, 2, 7, 100).get(random.nextInt(4)),
                                BACKTRACKING.toMillis(),
                                WINDOW.toMillis())));
        DynamoDBClients.get(node).useClock(() -> Instant.now().plus(skew));
        return node;
    }

    /** One consumer, until everything has been written and found. */
    private static final class Scenario {
        private final List<ActorSystem> nodes;
        private final Random random;
        private final Mode mode;
        private final int minSlice;
        private final int maxSlice;
        private final Set<EventId> tagged = new HashSet<>();
        private boolean newTypeIsTagged;
        private final Map<String, TestEntity> running = new HashMap<>();
        private final Map<String, Long> lastNumbers = new HashMap<>();
        private final Map<EventId, Instant> visibleFrom = new ConcurrentHashMap<>();
        private final Set<EventId> handled = new HashSet<>();
        private Offset offset;

        Scenario(List<ActorSystem> nodes, Random random, Mode mode) {
            this.nodes = nodes;
            this.random = random;
            this.mode = mode;
            this.minSlice = mode.byTag() ? 0 : random.nextInt(Slices.NUMBER / 2);
            this.maxSlice = mode.byTag() ? Slices.NUMBER - 1 : minSlice + Slices.NUMBER / 2 - 1;
            this.offset = mode.perSlice() ? SliceOffsets.EMPTY : NoOffset.getInstance();
        }

        void run(FaultProxy proxy) {
            proxy.on(RequestMatch.operation("Query"), Fault.hideFromIndex(this::isHidden));
            Run current = new Run();
            int restarts = 0;
            for (int round = 0; round < ROUNDS; round++) {
                newTypeIsTagged |= round >= ROUNDS / 2;
                write(random.nextInt(10));
                if (random.nextInt(3) > 0) {
                    current.take(random.nextInt(3) == 0 ? random.nextInt(10) : Integer.MAX_VALUE);
                }
                if (random.nextInt(8) == 0) {
                    current.close();
                    current = new Run();
                    restarts++;
                }
            }
            Run last = current;
            Set<EventId> expected = expected();
            assertThat(restarts).isPositive();
            assertThat(expected).hasSizeGreaterThan(ROUNDS);
            await().atMost(TestEntity.PATIENCE).untilAsserted(() -> {
                last.take(Integer.MAX_VALUE);
                assertThat(handled).isEqualTo(expected);
            });
            Instant allReadAgain = Instant.now().plus(SKEW).plus(BACKTRACKING).plus(SKEW);
            await().atMost(TestEntity.PATIENCE).until(() -> {
                last.take(Integer.MAX_VALUE);
                return Instant.now().isAfter(allReadAgain);
            });
            last.close();
        }

        /** Lets some entities persist at the same time. */
        private void write(int count) {
            Set<String> ids = new LinkedHashSet<>();
            for (int i = 0; i < count; i++) {
                ids.add(type() + "|" + spread(random.nextInt(ENTITIES)));
            }
            List<String> starting = ids.stream().filter(this::isToBeStarted).toList();
            starting.forEach(id -> running.put(id, TestEntity.start(nodes.get(random.nextInt(nodes.size())), id)));
            starting.forEach(id -> running(id).recovered());
            Map<String, Integer> sizes = new LinkedHashMap<>();
            ids.forEach(id -> sizes.put(id, persist(id)));
            sizes.forEach((id, size) -> running(id).expectStored(size));
        }

        private String type() {
            int number = random.nextInt(mode.byTag() ? 3 : 10);
            return number == 0 ? "other" : number == 1 && mode.byTag() ? "new" : "cart";
        }

        private boolean isTagged(String id, long number) {
            return id.startsWith("cart|") || (id.startsWith("new|") ? newTypeIsTagged : number % 3 == 0);
        }

        /** Ids that differ in the last digits only lie in a few slices. */
        private static String spread(int number) {
            return Integer.toHexString(number * 0x9E3779B9);
        }

        private TestEntity running(String id) {
            return requireNonNull(running.get(id));
        }

        /** Now and then one is stopped, to go on on whichever node. */
        private boolean isToBeStarted(String id) {
            if (running.containsKey(id) && random.nextInt(10) == 0) {
                requireNonNull(running.remove(id)).stop();
            }
            return !running.containsKey(id);
        }

        private int persist(String id) {
            int size = random.nextInt(5) == 0 ? 2 + random.nextInt(4) : 1;
            long before = lastNumbers.getOrDefault(id, 0L);
            List<Object> events = new ArrayList<>();
            for (long number = before + 1; number <= before + size; number++) {
                if (isTagged(id, number)) {
                    tagged.add(new EventId(id, number));
                    events.add(new Tagged("e" + number, Set.of(TAG)));
                } else {
                    events.add("e" + number);
                }
                long late = random.nextInt(3) == 0 ? random.nextLong(LATENESS.toNanos()) : 0;
                visibleFrom.put(new EventId(id, number), Instant.now().plusNanos(late));
            }
            running(id).persistAll(events);
            lastNumbers.put(id, before + size);
            return size;
        }

        private boolean isHidden(Map<String, AttributeValue> item) {
            EventId id = new EventId(
                    requireNonNull(item.get("persistence_id")).s(),
                    Long.parseLong(requireNonNull(item.get("seq")).n()));
            Instant visible = visibleFrom.get(id);
            return visible != null && visible.isAfter(Instant.now());
        }

        private Set<EventId> expected() {
            if (mode.byTag()) {
                return tagged;
            }
            Set<EventId> expected = new HashSet<>();
            lastNumbers.forEach((id, last) -> {
                int slice = Slices.of(id);
                for (long number = 1; number <= last; number++) {
                    if (id.startsWith("cart|") && slice >= minSlice && slice <= maxSlice) {
                        expected.add(new EventId(id, number));
                    }
                }
            });
            return expected;
        }

        /** The consumer from one start to the next stop. */
        private final class Run {
            private final Offset start = offset;
            private final Map<String, Long> last = new HashMap<>();
            private final RunningQuery<Found> query;
            private CompletableFuture<Optional<Found>> next;

            Run() {
                ActorSystem node = nodes.get(random.nextInt(nodes.size()));
                Offset from = start instanceof SliceOffsets ? stored(start, node) : start;
                DynamoDBReadJournal journal = PersistenceQuery.get(node)
                        .getReadJournalFor(DynamoDBReadJournal.class, DynamoDBReadJournal.Identifier());
                this.query = RunningQuery.of(mode.byTag() ? byTag(journal, from) : bySlices(journal, from), node);
                this.next = query.pull().toCompletableFuture();
            }

            private Source<Found, ?> bySlices(DynamoDBReadJournal journal, Offset from) {
                return journal.<String>eventsBySlices("cart", minSlice, maxSlice, from)
                        .map(found -> new Found(
                                found.persistenceId(),
                                found.sequenceNr(),
                                found.getEvent(),
                                found.timestamp(),
                                found.offset()));
            }

            private Source<Found, ?> byTag(DynamoDBReadJournal journal, Offset from) {
                return journal.eventsByTag(TAG, from)
                        .map(found -> new Found(
                                found.persistenceId(),
                                found.sequenceNr(),
                                found.event(),
                                found.timestamp(),
                                found.offset()));
            }

            void take(int most) {
                for (int i = 0; i < most && next.isDone(); i++) {
                    handle(next.join().orElseThrow());
                    next = query.pull().toCompletableFuture();
                }
            }

            void close() {
                query.close();
            }

            private void handle(Found found) {
                String id = found.id();
                long number = found.number();
                assertThat(Slices.of(id)).isBetween(minSlice, maxSlice);
                assertThat(found.event()).isEqualTo("e" + number);
                Long previous = last.put(id, number);
                if (previous != null) {
                    assertThat(number)
                            .as("the number of '%s' after %s", id, previous)
                            .isGreaterThan(previous);
                    assertThat(wanted(id, previous + 1, number))
                            .as("between %s and %s of '%s'", previous, number, id)
                            .isEmpty();
                }
                if (!handled.add(new EventId(id, number))) {
                    assertThat(found.timestamp())
                            .as("event %s of '%s' comes again", number, id)
                            .isGreaterThanOrEqualTo(startOf(id).minus(WINDOW).toEpochMilli());
                } else {
                    assertThat(handled)
                            .as("those before event %s of '%s'", number, id)
                            .containsAll(wanted(id, 1, number));
                }
                offset = found.offset();
            }

            /** Which of an entity's numbers the query has to deliver. */
            private List<EventId> wanted(String id, long from, long before) {
                return LongStream.range(from, before)
                        .mapToObj(number -> new EventId(id, number))
                        .filter(event -> !mode.byTag() || tagged.contains(event))
                        .toList();
            }

            private Instant startOf(String id) {
                if (start instanceof TimestampOffset timestamp) {
                    return timestamp.timestamp();
                }
                return start instanceof SliceOffsets slices
                        ? slices.offset(Slices.entityType(id), Slices.of(id))
                                .map(TimestampOffset::timestamp)
                                .orElse(Instant.EPOCH)
                        : Instant.EPOCH;
            }
        }

        /** As an offset store gives it back. */
        private static Offset stored(Offset offset, ActorSystem node) {
            Serialization serialization = SerializationExtension.get(node);
            Serializer serializer = serialization.findSerializerFor(offset);
            return (Offset) serialization
                    .deserialize(
                            serialization.serialize(offset).get(),
                            serializer.identifier(),
                            Serializers.manifestFor(serializer, offset))
                    .get();
        }
    }
}
