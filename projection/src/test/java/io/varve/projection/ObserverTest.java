package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.varve.projection.Recorder.Kind;
import io.varve.projection.internal.pekko.PekkoProjection;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import io.varve.store.Slices;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.StatusObserver;
import org.apache.pekko.projection.internal.Telemetry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Who watches a projection, and what they hear. */
class ObserverTest {
    private static final Duration NEVER = Duration.ofHours(1);
    private static final Map<String, List<String>> TELEMETRY = new ConcurrentHashMap<>();
    private static TestSystem test;

    @BeforeAll
    static void start() {
        test = new TestSystem("pekko.projection.telemetry.implementations = [\"" + Noting.class.getName() + "\"]");
    }

    @AfterAll
    static void stop() {
        test.close();
    }

    /** Telemetry that notes its calls. */
    public static final class Noting implements Telemetry {
        private final List<String> notes;
        private final boolean broken;

        public Noting(ProjectionId id, ActorSystem<?> system) {
            this.notes = TELEMETRY.computeIfAbsent(id.name(), name -> new CopyOnWriteArrayList<>());
            this.broken = id.name().startsWith("broken");
        }

        private void note(String note) {
            notes.add(note);
            if (broken) {
                throw new IllegalStateException("broken telemetry");
            }
        }

        @Override
        public void stopped() {
            note("stopped");
        }

        @Override
        public void failed(Throwable cause) {
            note("failed " + cause.getMessage());
        }

        @Override
        public <E> Object beforeProcess(E envelope, long creationTimeInMillis) {
            String event = (String) ((EventEnvelope<?>) envelope).getEvent();
            note("before " + event);
            return "context of " + event;
        }

        @Override
        public void afterProcess(Object externalContext) {
            note("after with " + externalContext);
        }

        @Override
        public void onOffsetStored(int numberOfEnvelopes) {
            note("stored " + numberOfEnvelopes);
        }

        @Override
        public void error(Throwable cause) {
            note("error " + cause.getMessage());
        }
    }

    @Test
    void exactlyOnce_tellsOfEachEvent_inOrder() {
        Watcher watcher = new Watcher();
        test.persist("once|a", "1", "2");
        ActorRef<ProjectionBehavior.Command> projection = test.start(
                new Recorder(test).projection(Kind.EXACTLY_ONCE, "once").withStatusObserver(watcher));
        await().untilAsserted(() -> assertThat(watcher.notes()).contains("offset 2"));
        test.stop(projection);

        assertThat(watcher.notes()).startsWith("started", "before 1").endsWith("offset 2", "stopped");
        assertThat(watcher.notes())
                .filteredOn(note -> note.endsWith("1"))
                .containsExactly("before 1", "after 1", "offset 1");
        assertThat(watcher.notes()).doesNotHaveDuplicates().hasSize(8);
        assertThat(TELEMETRY.get("once"))
                .containsSubsequence("before 1", "after with context of 1", "stored 1")
                .containsSubsequence("before 2", "after with context of 2", "stored 1", "stopped")
                .hasSize(7);
    }

    @ParameterizedTest
    @EnumSource(names = {"EXACTLY_ONCE_GROUPED", "AT_LEAST_ONCE_GROUPED"})
    void groups_haveOneOffset(Kind kind) {
        String name = "group-" + kind;
        Watcher watcher = new Watcher();
        test.persist(name + "|a", "1", "2", "3");
        ActorRef<ProjectionBehavior.Command> projection = test.start(
                new Recorder(test).projection(kind, name).withGroup(3, NEVER).withStatusObserver(watcher));
        await().untilAsserted(() -> assertThat(watcher.notes()).contains("offset 3"));
        test.stop(projection);

        assertThat(watcher.notes())
                .containsExactly(
                        "started",
                        "before 1",
                        "before 2",
                        "before 3",
                        "after 1",
                        "after 2",
                        "after 3",
                        "offset 3",
                        "stopped");
        assertThat(TELEMETRY.get(name))
                .containsExactly(
                        "before 1",
                        "before 2",
                        "before 3",
                        "after with context of 1",
                        "after with context of 2",
                        "after with context of 3",
                        "stored 3",
                        "stopped");
    }

    @ParameterizedTest
    @EnumSource(names = {"AT_LEAST_ONCE", "FLOW"})
    void withSaveOffset_saysAfterHowManyEventsTheOffsetIsStored(Kind kind) {
        String name = "save-" + kind;
        Watcher watcher = new Watcher();
        test.persist(name + "|a", "1", "2", "3", "4", "5");
        ActorRef<ProjectionBehavior.Command> projection = test.start(new Recorder(test)
                .projection(kind, name)
                .withSaveOffset(2, NEVER)
                .withStatusObserver(watcher));
        await().untilAsserted(() -> assertThat(watcher.notes()).contains("after 5", "offset 4"));
        assertThat(test.stored(name, name + "|a")).isEqualTo(4);
        test.stop(projection);

        assertThat(watcher.notes())
                .filteredOn(note -> note.startsWith("offset"))
                .containsExactly("offset 2", "offset 4", "offset 5");
        assertThat(TELEMETRY.get(name))
                .filteredOn(note -> note.startsWith("stored"))
                .containsExactly("stored 2", "stored 2", "stored 1");
        assertThat(test.stored(name, name + "|a")).isEqualTo(5);
    }

    private static Stream<Arguments> savesOfOne() {
        return Stream.of(Kind.AT_LEAST_ONCE, Kind.FLOW)
                .flatMap(kind -> Stream.of(Arguments.of(kind, NEVER), Arguments.of(kind, Duration.ZERO)));
    }

    @ParameterizedTest
    @MethodSource("savesOfOne")
    void withSaveOffset_ofOneEvent_savesAtOnce(Kind kind, Duration duration) {
        String name = "save-one-" + kind + "-" + duration;
        Watcher watcher = new Watcher();
        test.persist(name + "|a", "1", "2", "3", "4", "5");
        ActorRef<ProjectionBehavior.Command> projection = test.start(new Recorder(test)
                .projection(kind, name)
                .withSaveOffset(1, duration)
                .withStatusObserver(watcher));
        await().untilAsserted(() -> assertThat(test.stored(name, name + "|a")).isEqualTo(5));
        test.stop(projection);
        assertThat(watcher.notes())
                .filteredOn(note -> note.startsWith("offset"))
                .containsExactly("offset 1", "offset 2", "offset 3", "offset 4", "offset 5");
    }

    @Test
    void retries_areErrors_andAFailureIsFollowedByStoppedAndStarted() {
        Watcher watcher = new Watcher();
        AtomicInteger attempts = new AtomicInteger();
        Recorder recorder = new Recorder(test, envelope -> {
            if (attempts.incrementAndGet() <= 3) {
                throw new IllegalStateException("attempt " + attempts);
            }
            return Recorder.done();
        });
        test.persist("retries|a", "1");
        ActorRef<ProjectionBehavior.Command> projection = test.start(recorder.projection(Kind.AT_LEAST_ONCE, "retries")
                .withRecoveryStrategy(HandlerRecoveryStrategy.retryAndFail(2, Duration.ofMillis(1)))
                .withStatusObserver(watcher));
        await().untilAsserted(() -> assertThat(watcher.notes()).contains("offset 1"));
        test.stop(projection);

        assertThat(watcher.notes())
                .containsExactly(
                        "started",
                        "before 1",
                        "error 1",
                        "error 1",
                        "error 1",
                        "failed",
                        "stopped",
                        "started",
                        "before 1",
                        "after 1",
                        "offset 1",
                        "stopped");
        assertThat(watcher.failures()).containsExactly("attempt 3");
        assertThat(TELEMETRY.get("retries"))
                .containsExactly(
                        "before 1",
                        "error attempt 1",
                        "error attempt 2",
                        "error attempt 3",
                        "failed attempt 3",
                        "stopped",
                        "before 1",
                        "after with context of 1",
                        "stored 1",
                        "stopped");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FLOW")
    void skippedEvents_areNotProcessed_butTheirOffsetIsStored(Kind kind) {
        String name = "skipped-" + kind;
        Watcher watcher = new Watcher();
        Recorder recorder = new Recorder(test, envelope -> {
            throw new IllegalStateException("poisoned");
        });
        test.persist(name + "|a", "1");
        ActorRef<ProjectionBehavior.Command> projection = test.start(recorder.projection(kind, name)
                .withRecoveryStrategy(HandlerRecoveryStrategy.skip())
                .withStatusObserver(watcher));
        await().untilAsserted(() -> assertThat(watcher.notes()).contains("offset 1"));
        test.stop(projection);
        assertThat(watcher.notes()).containsExactly("started", "before 1", "error 1", "offset 1", "stopped");
    }

    @Test
    void flowThatFails_isAnErrorOfTheTelemetry() {
        Watcher watcher = new Watcher();
        AtomicInteger attempts = new AtomicInteger();
        Recorder recorder = new Recorder(test, envelope -> {
            if (attempts.incrementAndGet() == 1) {
                throw new IllegalStateException("flow");
            }
            return Recorder.done();
        });
        test.persist("flow|a", "1");
        ActorRef<ProjectionBehavior.Command> projection =
                test.start(recorder.projection(Kind.FLOW, "flow").withStatusObserver(watcher));
        await().untilAsserted(() -> assertThat(watcher.notes()).contains("offset 1"));
        test.stop(projection);
        assertThat(watcher.failures()).containsExactly("flow");
        assertThat(TELEMETRY.get("flow"))
                .containsExactly(
                        "before 1",
                        "error flow",
                        "failed flow",
                        "stopped",
                        "before 1",
                        "after with context of 1",
                        "stored 1",
                        "stopped");
    }

    /** Throws whatever it is told. */
    private static final class Throwing extends StatusObserver<EventEnvelope<String>> {
        private static IllegalStateException broken() {
            return new IllegalStateException("broken observer");
        }

        @Override
        public void started(ProjectionId projection) {
            throw broken();
        }

        @Override
        public void failed(ProjectionId projection, Throwable cause) {
            throw broken();
        }

        @Override
        public void stopped(ProjectionId projection) {
            throw broken();
        }

        @Override
        public void beforeProcess(ProjectionId projection, EventEnvelope<String> envelope) {
            throw broken();
        }

        @Override
        public void afterProcess(ProjectionId projection, EventEnvelope<String> envelope) {
            throw broken();
        }

        @Override
        public void offsetProgress(ProjectionId projection, EventEnvelope<String> envelope) {
            throw broken();
        }

        @Override
        public void error(
                ProjectionId projection,
                EventEnvelope<String> envelope,
                Throwable cause,
                HandlerRecoveryStrategy strategy) {
            throw broken();
        }
    }

    @ParameterizedTest
    @EnumSource
    void brokenObservers_doNotDisturb(Kind kind) {
        String name = "broken-" + kind;
        AtomicInteger attempts = new AtomicInteger();
        Recorder recorder = new Recorder(test, envelope -> {
            if (attempts.incrementAndGet() == 1) {
                throw new IllegalStateException("first");
            }
            return Recorder.done();
        });
        test.persist(name + "|a", "1");
        ActorRef<ProjectionBehavior.Command> projection =
                test.start(recorder.projection(kind, name).withStatusObserver(new Throwing()));
        test.persist(name + "|a", "2");
        await().untilAsserted(() -> assertThat(recorder.applied(name + "|a")).containsExactly("1", "2"));
        test.stop(projection);
    }

    @Test
    void progressObserver_hearsOfEachSlice() {
        Map<Integer, Instant> stored = new ConcurrentHashMap<>();
        ProgressObservers.get(test.system()).add((projection, slice, seen, place) -> {
            throw new IllegalStateException("broken");
        });
        ProgressObservers.get(test.system()).add((projection, slice, seen, place) -> {
            if (projection.name().equals("progress") && seen.equals(place)) {
                stored.put(slice, place);
            }
        });
        Instant before = Instant.now();
        test.persist("progress|a", "1");
        test.persist("progress|b", "1");
        ActorRef<ProjectionBehavior.Command> projection =
                test.start(new Recorder(test).projection(Kind.EXACTLY_ONCE, "progress"));
        await().untilAsserted(
                        () -> assertThat(stored).containsOnlyKeys(Slices.of("progress|a"), Slices.of("progress|b")));
        test.stop(projection);
        assertThat(stored.values()).allMatch(place -> place.isAfter(before.minusMillis(1)));
    }

    @Test
    void withRestartBackoff_ofBothKinds_limitsTheRestarts() {
        var scalaMillis = scala.concurrent.duration.Duration.fromNanos(1_000_000);
        Duration javaMillis = Duration.ofMillis(1);
        Watcher java = new Watcher();
        Watcher scala = new Watcher();
        Watcher unlimited = new Watcher();
        Recorder recorder = new Recorder(test, envelope -> {
            throw new IllegalStateException("always");
        });
        test.persist("backoff|a", "1");
        List<ActorRef<ProjectionBehavior.Command>> started = List.of(
                test.start(recorder.projection(Kind.AT_LEAST_ONCE, "backoff")
                        .withRestartBackoff(javaMillis, javaMillis, 0, 0)
                        .withStatusObserver(java)),
                test.start(failing(recorder, "scala")
                        .withRestartBackoff(scalaMillis, scalaMillis, 0, 0)
                        .withStatusObserver(scala)),
                test.start(failing(recorder, "unlimited")
                        .withRestartBackoff(scalaMillis, scalaMillis, 0)
                        .withRestartBackoff(javaMillis, javaMillis, 0)
                        .withStatusObserver(unlimited)));
        await().untilAsserted(() -> assertThat(unlimited.failures()).hasSizeGreaterThan(2));
        await().untilAsserted(() -> assertThat(scala.notes()).endsWith("failed", "stopped"));
        await().untilAsserted(() -> assertThat(java.notes()).endsWith("failed", "stopped"));
        started.forEach(test::stop);
        assertThat(scala.notes()).containsOnlyOnce("started");
        assertThat(java.notes()).containsOnlyOnce("started");
    }

    private static PekkoProjection<EventEnvelope<String>> failing(Recorder recorder, String key) {
        return recorder.projection(
                Kind.AT_LEAST_ONCE,
                ProjectionId.of("backoff-" + key, "all"),
                DynamoDBSourceProvider.eventsBySlices(test.system(), "backoff", 0, 1023));
    }
}
