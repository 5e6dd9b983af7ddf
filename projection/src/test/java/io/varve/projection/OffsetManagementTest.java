package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.varve.persistence.internal.plugin.Futures;
import io.varve.persistence.query.SliceOffsets;
import io.varve.projection.Recorder.Kind;
import io.varve.projection.internal.pekko.PekkoProjection;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import io.varve.store.SliceRange;
import io.varve.store.Slices;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.persistence.Persistence;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.Sequence;
import org.apache.pekko.persistence.query.TimestampOffset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.javadsl.ProjectionManagement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import scala.concurrent.Future;

/** Projections under Pekko's management. */
class OffsetManagementTest {
    private static final int SLICES = 64;
    private static TestSystem test;
    private static ProjectionManagement management;

    @BeforeAll
    static void start() {
        test = new TestSystem("pekko.projection.management { ask-timeout = 3 s, operation-timeout = 15 s }");
        management = ProjectionManagement.get(test.system());
    }

    @AfterAll
    static void stop() {
        test.close();
    }

    private static <T> T get(java.util.concurrent.CompletionStage<T> stage) {
        return stage.toCompletableFuture()
                .orTimeout(TestSystem.PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    private static ProjectionId id(String name) {
        return ProjectionId.of(name, "first");
    }

    private static PekkoProjection<EventEnvelope<String>> projection(Recorder recorder, Kind kind, String name) {
        return recorder.projection(
                kind, id(name), DynamoDBSourceProvider.eventsBySlices(test.system(), name, 0, SLICES - 1));
    }

    /** An entity in the slices of these projections, which are few, so that their offsets are changed quickly. */
    private static String entity(String name, String key) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> name + "|" + key + i)
                .filter(persistenceId -> Slices.of(persistenceId) < SLICES)
                .findFirst()
                .orElseThrow();
    }

    private static void awaitApplied(Recorder recorder, String persistenceId, String... events) {
        await().untilAsserted(() -> assertThat(recorder.applied(persistenceId)).containsExactly(events));
    }

    /** Waits until this event of an entity is stored, and returns its timestamp, as the place of its slice. */
    private static Instant awaitPlace(String name, String persistenceId, long number) {
        int slice = Slices.of(persistenceId);
        await().until(() -> management
                .<Offset>getOffset(id(name))
                .thenApply(offset -> offset.isPresent()
                        && ((SliceOffsets) offset.get())
                                .offset(slice)
                                .map(place -> Long.valueOf(number)
                                        .equals(place.getSeen().get(persistenceId)))
                                .orElse(false))
                .toCompletableFuture()
                .get());
        Offset offset = get(management.<Offset>getOffset(id(name))).orElseThrow();
        return ((SliceOffsets) offset).offset(slice).orElseThrow().timestamp();
    }

    @Test
    void getOffset_ofANewProjection_isEmpty() {
        ActorRef<ProjectionBehavior.Command> projection =
                test.start(projection(new Recorder(test), Kind.EXACTLY_ONCE, "empty"));
        assertThat(get(management.getOffset(id("empty")))).isEmpty();
        test.stop(projection);
    }

    @ParameterizedTest
    @EnumSource
    void updateOffset_backwards_processesAgain_fromThereOn(Kind kind) {
        String name = "rewind-" + kind;
        Recorder recorder = new Recorder(test);
        ActorRef<ProjectionBehavior.Command> projection = test.start(projection(recorder, kind, name));
        test.persist(entity(name, "a"), "1", "2");
        Instant second = awaitPlace(name, entity(name, "a"), 2);
        test.persist(entity(name, "a"), "3", "4");
        awaitPlace(name, entity(name, "a"), 4);

        get(management.updateOffset(id(name), Offset.timestamp(second.plusNanos(1_000))));

        awaitApplied(recorder, entity(name, "a"), "1", "2", "3", "4", "3", "4");
        test.persist(entity(name, "a"), "5");
        awaitApplied(recorder, entity(name, "a"), "1", "2", "3", "4", "3", "4", "5");
        test.stop(projection);
    }

    @ParameterizedTest
    @EnumSource
    void updateOffset_forwards_skips_alsoOfEntitiesThatAreKnown(Kind kind) {
        String name = "forward-" + kind;
        Recorder recorder = new Recorder(test);
        ActorRef<ProjectionBehavior.Command> projection = test.start(projection(recorder, kind, name));
        test.persist(entity(name, "known"), "1", "2");
        awaitPlace(name, entity(name, "known"), 2);
        get(management.pause(id(name)));
        test.persist(entity(name, "known"), "3", "4");
        test.persist(entity(name, "unknown"), "1", "2");

        get(management.updateOffset(id(name), Offset.timestamp(Instant.now())));
        get(management.resume(id(name)));
        test.persist(entity(name, "known"), "5");
        test.persist(entity(name, "unknown"), "3");
        test.persist(entity(name, "new"), "1", "2");

        awaitApplied(recorder, entity(name, "known"), "1", "2", "5");
        awaitApplied(recorder, entity(name, "unknown"), "3");
        awaitApplied(recorder, entity(name, "new"), "1", "2");
        test.stop(projection);
    }

    @Test
    void updateOffset_ofSomeSlices_leavesTheOthers() {
        Recorder recorder = new Recorder(test);
        ActorRef<ProjectionBehavior.Command> projection = test.start(projection(recorder, Kind.EXACTLY_ONCE, "slices"));
        test.persist(entity("slices", "a"), "1");
        test.persist(entity("slices", "b"), "1");
        awaitPlace("slices", entity("slices", "a"), 1);
        awaitPlace("slices", entity("slices", "b"), 1);
        TimestampOffset beginning = SliceOffsets.timestampOffset(Instant.ofEpochSecond(1), Instant.EPOCH, Map.of());

        get(management.updateOffset(
                id("slices"), SliceOffsets.of(Map.of(Slices.of(entity("slices", "a")), beginning))));

        awaitApplied(recorder, entity("slices", "a"), "1", "1");
        test.stop(projection);
        assertThat(recorder.applied(entity("slices", "b"))).containsExactly("1");
    }

    @Test
    void updateOffset_toWhatAQueryHasReached_countsItsFloorsToo() {
        String name = "floors";
        Instant floor = Instant.now().plus(Duration.ofDays(1));
        Recorder recorder = new Recorder(test);
        ActorRef<ProjectionBehavior.Command> projection = test.start(projection(recorder, Kind.EXACTLY_ONCE, name));
        get(management.updateOffset(
                id(name), SliceOffsets.EMPTY.withFloor(new SliceRange(name, 0, SLICES - 1), floor)));
        Offset offset = get(management.<Offset>getOffset(id(name))).orElseThrow();
        assertThat(((SliceOffsets) offset).asMap().values())
                .hasSize(SLICES)
                .allMatch(place -> Duration.between(place.timestamp(), floor).toNanos() < 1_000);
        test.stop(projection);
    }

    @Test
    void updateOffset_ofSomeSlicesOfAProjectionThatHasProcessedNothing_leavesTheOthersAtTheBeginning() {
        String name = "some-slices";
        AtomicBoolean broken = new AtomicBoolean(true);
        Recorder recorder = new Recorder(test, envelope -> {
            if (broken.get()) {
                throw new IllegalStateException("not yet");
            }
            return Recorder.done();
        });
        test.persist(entity(name, "a"), "1");
        ActorRef<ProjectionBehavior.Command> projection = test.start(projection(recorder, Kind.EXACTLY_ONCE, name)
                .withRecoveryStrategy(HandlerRecoveryStrategy.retryAndFail(1_000, Duration.ofMillis(10))));
        int other = (Slices.of(entity(name, "a")) + 1) % SLICES;
        TimestampOffset later =
                SliceOffsets.timestampOffset(Instant.now().plus(Duration.ofDays(1)), Instant.EPOCH, Map.of());
        get(management.updateOffset(id(name), SliceOffsets.of(Map.of(other, later))));
        broken.set(false);
        awaitApplied(recorder, entity(name, "a"), "1");
        test.stop(projection);
    }

    @ParameterizedTest
    @EnumSource
    void clearOffset_processesAllAgain(Kind kind) {
        String name = "clear-" + kind;
        Recorder recorder = new Recorder(test);
        ActorRef<ProjectionBehavior.Command> projection = test.start(projection(recorder, kind, name));
        test.persist(entity(name, "a"), "1", "2");
        awaitPlace(name, entity(name, "a"), 2);

        get(management.clearOffset(id(name)));

        awaitApplied(recorder, entity(name, "a"), "1", "2", "1", "2");
        test.stop(projection);
    }

    @ParameterizedTest
    @EnumSource
    void pause_holdsEventsBack_untilResume_alsoAfterARestart(Kind kind) {
        String name = "pause-" + kind;
        Recorder recorder = new Recorder(test);
        ActorRef<ProjectionBehavior.Command> projection = test.start(projection(recorder, kind, name));
        test.persist(entity(name, "a"), "1");
        awaitApplied(recorder, entity(name, "a"), "1");
        assertThat(get(management.isPaused(id(name)))).isFalse();

        get(management.pause(id(name)));
        test.persist(entity(name, "a"), "2");
        test.stop(projection);
        ActorRef<ProjectionBehavior.Command> again = test.start(projection(recorder, kind, name));
        assertThat(get(management.isPaused(id(name)))).isTrue();
        assertThat(get(management.getOffset(id(name)))).isPresent();
        get(management.resume(id(name)));

        assertThat(get(management.isPaused(id(name)))).isFalse();
        awaitApplied(recorder, entity(name, "a"), "1", "2");
        test.stop(again);
    }

    @Test
    void pause_ofOneOfFourPartitions_isSeenByEightAndByTwo() {
        List<ActorRef<ProjectionBehavior.Command>> four = partitions(4);
        get(management.pause(ProjectionId.of("sliced", "4-1")));
        assertThat(paused(4)).containsExactly(false, true, false, false);
        four.forEach(test::stop);

        List<ActorRef<ProjectionBehavior.Command>> eight = partitions(8);
        assertThat(paused(8)).containsExactly(false, false, true, true, false, false, false, false);
        get(management.pause(ProjectionId.of("sliced", "8-7")));
        eight.forEach(test::stop);

        List<ActorRef<ProjectionBehavior.Command>> two = partitions(2);
        assertThat(paused(2)).containsExactly(true, true);
        get(management.resume(ProjectionId.of("sliced", "2-0")));
        assertThat(paused(2)).containsExactly(false, true);
        two.forEach(test::stop);

        List<ActorRef<ProjectionBehavior.Command>> again = partitions(4);
        assertThat(paused(4)).containsExactly(false, false, false, true);
        again.forEach(test::stop);
    }

    private static List<ActorRef<ProjectionBehavior.Command>> partitions(int number) {
        List<ActorRef<ProjectionBehavior.Command>> started = new ArrayList<>();
        for (Pair<Integer, Integer> range : Persistence.get(test.system()).getSliceRanges(number)) {
            started.add(test.start(new Recorder(test)
                    .projection(
                            Kind.EXACTLY_ONCE,
                            ProjectionId.of("sliced", number + "-" + started.size()),
                            DynamoDBSourceProvider.eventsBySlices(
                                    test.system(), "sliced", range.first(), range.second()))));
        }
        return started;
    }

    private static List<Boolean> paused(int number) {
        List<Boolean> paused = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            paused.add(get(management.isPaused(ProjectionId.of("sliced", number + "-" + i))));
        }
        return paused;
    }

    @Test
    void updateOffset_withAnOffsetOfAnotherType_fails_andTheProjectionGoesOn() {
        Recorder recorder = new Recorder(test);
        ActorRef<ProjectionBehavior.Command> projection = test.start(projection(recorder, Kind.EXACTLY_ONCE, "wrong"));
        test.persist(entity("wrong", "a"), "1");
        awaitPlace("wrong", entity("wrong", "a"), 1);

        management.updateOffset(id("wrong"), new Sequence(7));
        management.updateOffset(id("wrong"), "seven");
        test.persist(entity("wrong", "a"), "2");

        awaitApplied(recorder, entity("wrong", "a"), "1", "2");
        assertThat(get(management.getOffset(id("wrong")))).isPresent();
        test.stop(projection);
    }

    @Test
    @SuppressWarnings("unchecked")
    void setOffset_withAnOffsetOfAnotherType_isAFailedFuture_thatSaysWhatToGive() {
        var running = (org.apache.pekko.projection.RunningProjectionManagement<Offset>)
                projection(new Recorder(test), Kind.EXACTLY_ONCE, "failed").run(test.system());

        assertFails(running.setOffset(scala.Option.apply(new Sequence(7))), "TimestampOffset");
        assertFails(running.setOffset(scala.Option.apply(SliceOffsets.EMPTY)), "0..63");

        get(Futures.toJava(((org.apache.pekko.projection.RunningProjection) running).stop()));
    }

    private static void assertFails(Future<?> future, String message) {
        assertThatThrownBy(() -> get(Futures.toJava(future)))
                .hasRootCauseInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void operations_onAProjectionThatDoesNotRun_timeOut() {
        TestSystem impatient =
                new TestSystem("pekko.projection.management { ask-timeout = 50 ms, operation-timeout = 50 ms }");
        try {
            assertThatThrownBy(() ->
                            get(ProjectionManagement.get(impatient.system()).getOffset(id("nobody"))))
                    .hasRootCauseInstanceOf(TimeoutException.class);
        } finally {
            impatient.close();
        }
    }
}
