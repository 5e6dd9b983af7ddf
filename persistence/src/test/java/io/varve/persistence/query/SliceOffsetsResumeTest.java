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
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.persistence.query.TimestampOffset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.eventsourced.javadsl.EventSourcedProvider;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Restarts from slice offsets: with another division of the slices, with offsets of the first format, and after a quiet time. */
class SliceOffsetsResumeTest {
    private static final Duration LONG_AGO = Duration.ofHours(-3);
    private static final int SLICES_OF_A_SHARD = 16;

    private static final AtomicReference<Duration> SKEW = new AtomicReference<>(Duration.ZERO);
    private static FaultProxy proxy;
    private static ActorSystem system;

    private final String type = "t" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        proxy = FaultProxy.start(DynamoDBLocal.shared().endpoint());
        system = ActorSystem.create(
                "resume",
                TestJournal.config(DynamoDBLocal.shared().endpoint(), TestJournal.createTable(), """
                        dynamodb-read-journal { refresh-interval = 200 ms, client.local.port = %d }
                        """.formatted(
                                proxy.endpoint().getPort())));
        DynamoDBClients.get(system).useClock(() -> Instant.now().plus(SKEW.get()));
    }

    @AfterAll
    static void stop() {
        TestKit.shutdownActorSystem(system);
        proxy.close();
    }

    private static DynamoDBReadJournal journal() {
        return PersistenceQuery.get(system)
                .getReadJournalFor(DynamoDBReadJournal.class, DynamoDBReadJournal.Identifier());
    }

    private static void persist(Duration skew, String id, int count) {
        SKEW.set(skew);
        TestEntity entity = TestEntity.start(system, id);
        entity.recovered();
        entity.persist(IntStream.range(0, count).mapToObj(i -> "e" + i).toArray())
                .expectStored(count);
        entity.stop();
        SKEW.set(Duration.ZERO);
    }

    /** An id in these slices. */
    private String inSlices(int min, int max) {
        return Stream.iterate(0, i -> i + 1)
                .map(i -> type + "|" + i)
                .filter(id -> Slices.of(id) >= min && Slices.of(id) <= max)
                .findFirst()
                .orElseThrow();
    }

    private static Offset last(RunningQuery<EventEnvelope<String>> query, int count) {
        List<EventEnvelope<String>> envelopes = query.next(count);
        return envelopes.get(count - 1).offset();
    }

    private List<String> ids(int min, int max, Offset from) {
        return RunningQuery.all(journal().<String>currentEventsBySlices(type, min, max, from), system).stream()
                .map(EventEnvelope::persistenceId)
                .toList();
    }

    @Test
    void fewerInstancesThanBefore_backlogOfTheOneThatHadNotBegun_isNotLost() {
        String ahead = inSlices(0, 7);
        String backlog = inSlices(8, 15);
        persist(LONG_AGO, backlog, 3);
        persist(Duration.ZERO, ahead, 2);
        SourceProvider<Offset, EventEnvelope<String>> provider = EventSourcedProvider.eventsBySlices(
                Adapter.toTyped(system), DynamoDBReadJournal.Identifier(), type, 0, 7);
        Offset reached;
        try (RunningQuery<EventEnvelope<String>> query = RunningQuery.of(
                RunningQuery.result(
                        provider.source(() -> CompletableFuture.completedFuture(Optional.of(SliceOffsets.EMPTY)))),
                system)) {
            reached = last(query, 2);
        }
        SliceOffsets merged = ((SliceOffsets) reached).plus(SliceOffsets.EMPTY);
        assertThat(ids(0, 15, merged)).hasSize(3).containsOnly(backlog);
    }

    @Test
    void moreAndFewerInstances_whereverEachStops_missNothing() {
        String one = inSlices(0, 7);
        String other = inSlices(8, 15);
        for (int hour = 0; hour < 3; hour++) {
            persist(LONG_AGO.plusHours(hour), one, 2);
            persist(LONG_AGO.plusHours(hour).plusMinutes(20), other, 2);
        }
        for (int left = 1; left <= 6; left++) {
            for (int right = 1; right <= 6; right++) {
                SliceOffsets both = reached(0, 7, left).plus(reached(8, 15, right));
                assertThat(ids(0, 15, both))
                        .as("after %s and %s", left, right)
                        .hasSizeGreaterThanOrEqualTo(12 - left - right);
                assertThat(both.floor(type, 3)).isPresent();
                assertThat(both.floor(type, 16)).as("nobody has read it").isEmpty();
            }
        }
    }

    private SliceOffsets reached(int min, int max, int count) {
        List<EventEnvelope<String>> envelopes =
                RunningQuery.all(journal().<String>currentEventsBySlices(type, min, max, SliceOffsets.EMPTY), system);
        return (SliceOffsets) envelopes.get(count - 1).offset();
    }

    @Test
    void offsetsOfTheFirstFormat_slicesWithoutAPlace_beginAtTheBeginning_andTheOthersWhereTheyAre() {
        String placed = inSlices(0, 7);
        String unplaced = inSlices(8, 15);
        persist(LONG_AGO, unplaced, 2);
        persist(LONG_AGO.plusHours(1), placed, 3);
        int slice = Slices.of(placed);
        TimestampOffset place = reached(0, 7, 3).offset(type, slice).orElseThrow();
        SliceOffsets first = SliceOffsets.of(Map.of(slice, place));
        assertThat(first.floors()).isEmpty();
        assertThat(ids(0, 15, first))
                .contains(unplaced, unplaced)
                .filteredOn(placed::equals)
                .as("of the window, but for the last")
                .hasSizeLessThan(3);
    }

    @Test
    void sliceThatWasQuietForLong_doesNotMakeARestartReadItsShardFromThere() {
        String quiet = inSlices(0, 7);
        String busy = inSlices(8, SLICES_OF_A_SHARD - 1);
        persist(LONG_AGO, quiet, 1);
        persist(LONG_AGO.plusMinutes(30), busy, 150);
        persist(Duration.ofMinutes(-10), busy, 1);
        Offset reached;
        try (RunningQuery<EventEnvelope<String>> query =
                RunningQuery.of(journal().<String>eventsBySlices(type, 0, 15, SliceOffsets.EMPTY), system)) {
            reached = last(query, 152);
        }
        persist(Duration.ZERO, quiet, 1);
        proxy.requests().clear();
        assertThat(ids(0, 15, reached)).containsExactly(quiet);
        assertThat(proxy.requests().requests().stream()
                        .filter(request -> request.index().isPresent())
                        .mapToInt(request -> request.items())
                        .sum())
                .isLessThanOrEqualTo(2);
    }
}
