package io.varve.persistence.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.varve.persistence.DynamoDBClients;
import io.varve.persistence.journal.TestEntity;
import io.varve.persistence.journal.TestJournal;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.store.Slices;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.FaultProxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.persistence.journal.Tagged;
import org.apache.pekko.persistence.query.EventEnvelope;
import org.apache.pekko.persistence.query.NoOffset;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Queries by tag over several entity types, which share slice numbers, and over types that are tagged from some day on. */
class TagsOfSeveralTypesTest {
    private static final Duration LONG_AGO = Duration.ofHours(-3);
    private static final int HISTORY = 150;

    private static final AtomicReference<Duration> SKEW = new AtomicReference<>(Duration.ZERO);
    private static FaultProxy proxy;
    private static ActorSystem system;

    private final String tag = "tag-" + UUID.randomUUID();
    private final String one = "one-" + UUID.randomUUID();
    private final String other = "other-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        proxy = FaultProxy.start(DynamoDBLocal.shared().endpoint());
        system = ActorSystem.create(
                "types", TestJournal.config(DynamoDBLocal.shared().endpoint(), TestJournal.createTable(), """
                        dynamodb-journal.slice-index.shards = 2
                        dynamodb-read-journal { refresh-interval = 50 ms, client.local.port = %d }
                        """.formatted(
                                proxy.endpoint().getPort())));
        DynamoDBClients.get(system).useClock(() -> Instant.now().plus(SKEW.get()));
    }

    @AfterAll
    static void stop() {
        TestKit.shutdownActorSystem(system);
        proxy.close();
    }

    @BeforeEach
    void setClock() {
        SKEW.set(Duration.ZERO);
    }

    private static DynamoDBReadJournal journal() {
        return PersistenceQuery.get(system)
                .getReadJournalFor(DynamoDBReadJournal.class, DynamoDBReadJournal.Identifier());
    }

    private static void persist(Duration skew, String id, Object... events) {
        SKEW.set(skew);
        TestEntity entity = TestEntity.start(system, id);
        entity.recovered();
        entity.persist(events).expectStored(events.length);
        entity.stop();
        SKEW.set(Duration.ZERO);
    }

    private Object[] tagged(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Tagged("e" + i, Set.of(tag)))
                .toArray();
    }

    private static Object[] untagged(int count) {
        return IntStream.range(0, count).mapToObj(i -> "e" + i).toArray();
    }

    /** An id of an entity type in the slice of another id. */
    private static String inSliceOf(String id, String entityType) {
        return Stream.iterate(0, i -> i + 1)
                .map(i -> entityType + "|" + i)
                .filter(candidate -> Slices.of(candidate) == Slices.of(id))
                .findFirst()
                .orElseThrow();
    }

    private static int entriesRead(String entityType) {
        return proxy
                .requests()
                .where(request -> request.index().isPresent()
                        && request.partitionKeys().stream().allMatch(key -> key.contains(entityType)))
                .requests()
                .stream()
                .mapToInt(request -> request.items())
                .sum();
    }

    private RunningQuery<EventEnvelope> live(Offset from) {
        return RunningQuery.of(journal().eventsByTag(tag, from), system);
    }

    private List<EventEnvelope> current(Offset from) {
        return RunningQuery.all(journal().currentEventsByTag(tag, from), system);
    }

    private static EventEnvelope nextOf(RunningQuery<EventEnvelope> query, String id) {
        EventEnvelope next = query.next();
        while (!next.persistenceId().equals(id)) {
            next = query.next();
        }
        return next;
    }

    @Test
    void sliceOffsets_eventOfOneType_doesNotTakeThePlaceOfAnotherTypeInItsSlicePastTheBacklog() {
        String backlog = one + "|1";
        String ahead = inSliceOf(backlog, other);
        persist(Duration.ZERO, ahead, tagged(1));
        Offset reached;
        try (RunningQuery<EventEnvelope> query = live(SliceOffsets.EMPTY)) {
            reached = nextOf(query, ahead).offset();
        }
        persist(LONG_AGO, backlog, tagged(HISTORY));
        // As if the shard of the backlog had not been read by then: nothing is known of its type.
        assertThat(current(ofType(other, ahead, (SliceOffsets) reached)))
                .extracting(EventEnvelope::persistenceId)
                .hasSize(HISTORY)
                .containsOnly(backlog);
    }

    /** What offsets say of the slice of an entity. */
    private static SliceOffsets ofType(String entityType, String id, SliceOffsets offsets) {
        int slice = Slices.of(id);
        return SliceOffsets.EMPTY.plus(
                entityType, slice, offsets.offset(entityType, slice).orElseThrow());
    }

    @Test
    void sliceOffsets_stoppedAfterAnyEvent_missesNothingOfAnyType() {
        String first = one + "|1";
        String second = inSliceOf(first, other);
        persist(LONG_AGO, first, tagged(5));
        persist(LONG_AGO.plusHours(1), second, tagged(5));
        persist(LONG_AGO.plusHours(2), first, tagged(5));
        List<EventEnvelope> all = current(SliceOffsets.EMPTY);
        assertThat(all).hasSize(15);
        for (int i = 0; i < all.size(); i++) {
            assertThat(keys(current(all.get(i).offset())))
                    .as("after %s", i)
                    .containsAll(keys(all.subList(i + 1, all.size())));
        }
        assertThat(current(all.get(14).offset()))
                .extracting(EventEnvelope::persistenceId)
                .as("of the window, but for what was seen")
                .doesNotContain(first)
                .hasSizeLessThanOrEqualTo(5);
    }

    private static List<String> keys(List<EventEnvelope> envelopes) {
        return envelopes.stream()
                .map(envelope -> envelope.persistenceId() + " " + envelope.sequenceNr())
                .toList();
    }

    @Test
    void typeThatIsTaggedFromNowOn_isNotReadFromItsBeginning_andItsFirstTaggedEventComes() {
        persist(LONG_AGO, other + "|1", untagged(HISTORY));
        persist(Duration.ZERO, one + "|1", tagged(1));
        for (Offset from : List.of(NoOffset.getInstance(), SliceOffsets.EMPTY)) {
            String type = other + from.getClass().getSimpleName();
            persist(LONG_AGO, type + "|1", untagged(HISTORY));
            try (RunningQuery<EventEnvelope> query = live(from)) {
                nextOf(query, one + "|1");
                persist(Duration.ZERO, type + "|1", tagged(2));
                nextOf(query, type + "|1");
                assertThat(nextOf(query, type + "|1").sequenceNr()).isEqualTo(HISTORY + 2);
                assertThat(entriesRead(type)).isLessThan(20);
            }
        }
    }

    @Test
    void sliceOffsets_typeThatIsTaggedWhileNobodyQueries_isReadFromTheTimeOfTheOffset() {
        persist(LONG_AGO, other + "|1", untagged(HISTORY));
        persist(Duration.ZERO, one + "|1", tagged(1));
        Offset reached;
        try (RunningQuery<EventEnvelope> query = live(SliceOffsets.EMPTY)) {
            reached = nextOf(query, one + "|1").offset();
        }
        persist(Duration.ZERO, other + "|1", tagged(1));
        proxy.requests().clear();
        assertThat(current(reached))
                .extracting(EventEnvelope::persistenceId, EventEnvelope::sequenceNr)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(other + "|1", HISTORY + 1L));
        assertThat(entriesRead(other)).isEqualTo(1);
    }

    @Test
    void sliceOffsets_ofATypeThatHadTagsBefore_andOfWhichNothingWasDelivered_beginAtTheBeginning() {
        persist(LONG_AGO, other + "|1", tagged(3));
        persist(Duration.ZERO, one + "|1", tagged(1));
        Offset reached;
        try (RunningQuery<EventEnvelope> query = live(SliceOffsets.EMPTY)) {
            reached = query.next().offset();
        }
        assertThat(current(reached).size()).isBetween(3, 4);
        assertThat(keys(current(reached))).contains(one + "|1 1", other + "|1 2", other + "|1 3");
    }
}
