package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.varve.projection.Recorder.Kind;
import io.varve.projection.internal.pekko.PekkoProjection;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.ProjectionBehavior;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of an event that the handler cannot process, by the strategy that the projection is given. */
class RecoveryTest {
    private static final Duration NEVER = Duration.ofHours(1);
    private static TestSystem test;

    @BeforeAll
    static void start() {
        test = new TestSystem("");
    }

    @AfterAll
    static void stop() {
        test.close();
    }

    /** Fails for this event. */
    private static Recorder poisoned(String event, AtomicBoolean cured) {
        return new Recorder(test, envelope -> {
            if (envelope.getEvent().equals(event) && !cured.get()) {
                throw new IllegalStateException("poisoned");
            }
            return Recorder.done();
        });
    }

    /** Groups of one, so that a group is an envelope. */
    private static PekkoProjection<EventEnvelope<String>> projection(
            Recorder recorder, Kind kind, String name, HandlerRecoveryStrategy strategy) {
        return recorder.projection(kind, name)
                .withGroup(1, Duration.ofMillis(10))
                .withRecoveryStrategy(strategy);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FLOW")
    void skip_goesOnAfterTheEvent_andAdvancesItsRow(Kind kind) {
        String name = "skip-" + kind;
        Recorder recorder = poisoned("2", new AtomicBoolean());
        ActorRef<ProjectionBehavior.Command> projection =
                test.start(projection(recorder, kind, name, HandlerRecoveryStrategy.skip()));
        test.persist(name + "|a", "1", "2");
        test.persist(name + "|b", "x");

        await().untilAsserted(() -> assertThat(test.stored(name, name + "|a")).isEqualTo(2));
        await().untilAsserted(() -> assertThat(recorder.applied(name + "|b")).containsExactly("x"));
        test.persist(name + "|a", "3");
        await().untilAsserted(() -> assertThat(recorder.applied(name + "|a")).containsExactly("1", "3"));
        test.stop(projection);
        assertThat(Collections.frequency(recorder.attempts(), "2")).isEqualTo(1);
        assertThat(test.stored(name, name + "|a")).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FLOW")
    void skip_ofTheOnlyEvent_isNotTriedAgainAfterARestart(Kind kind) {
        String name = "skip-restart-" + kind;
        Recorder recorder = poisoned("1", new AtomicBoolean());
        PekkoProjection<EventEnvelope<String>> skipping =
                projection(recorder, kind, name, HandlerRecoveryStrategy.skip());
        test.persist(name + "|a", "1");
        ActorRef<ProjectionBehavior.Command> projection = test.start(skipping);
        await().untilAsserted(() -> assertThat(test.stored(name, name + "|a")).isEqualTo(1));
        test.stop(projection);

        ActorRef<ProjectionBehavior.Command> again = test.start(skipping);
        test.persist(name + "|a", "2");
        await().untilAsserted(() -> assertThat(recorder.applied(name + "|a")).containsExactly("2"));
        test.stop(again);
        assertThat(Collections.frequency(recorder.attempts(), "1")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FLOW")
    void retryAndSkip_triesAsOftenAsItSays_andThenGoesOn(Kind kind) {
        String name = "retry-skip-" + kind;
        Recorder recorder = poisoned("2", new AtomicBoolean());
        ActorRef<ProjectionBehavior.Command> projection = test.start(
                projection(recorder, kind, name, HandlerRecoveryStrategy.retryAndSkip(3, Duration.ofMillis(1))));
        test.persist(name + "|a", "1", "2", "3");

        await().untilAsserted(() -> assertThat(recorder.applied(name + "|a")).containsExactly("1", "3"));
        test.stop(projection);
        assertThat(Collections.frequency(recorder.attempts(), "2")).isEqualTo(4);
        assertThat(test.stored(name, name + "|a")).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FLOW")
    void retry_thatSucceeds_losesNothing(Kind kind) {
        String name = "retry-" + kind;
        AtomicBoolean cured = new AtomicBoolean();
        Recorder recorder = new Recorder(test, envelope -> {
            if (envelope.getEvent().equals("2") && !cured.getAndSet(true)) {
                throw new IllegalStateException("poisoned");
            }
            return Recorder.done();
        });
        ActorRef<ProjectionBehavior.Command> projection = test.start(
                projection(recorder, kind, name, HandlerRecoveryStrategy.retryAndFail(3, Duration.ofMillis(1))));
        test.persist(name + "|a", "1", "2", "3");

        await().untilAsserted(() -> assertThat(recorder.applied(name + "|a")).containsExactly("1", "2", "3"));
        test.stop(projection);
        assertThat(Collections.frequency(recorder.attempts(), "2")).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    void fail_restartsAndTriesAgain_andStoresNothingOfTheEvent(Kind kind) {
        String name = "fail-" + kind;
        AtomicBoolean cured = new AtomicBoolean();
        Recorder recorder = poisoned("2", cured);
        ActorRef<ProjectionBehavior.Command> projection =
                test.start(projection(recorder, kind, name, HandlerRecoveryStrategy.fail()));
        test.persist(name + "|a", "1", "2", "3");

        await().untilAsserted(() ->
                assertThat(Collections.frequency(recorder.attempts(), "2")).isGreaterThan(2));
        assertThat(test.stored(name, name + "|a")).isLessThan(2);
        assertThat(recorder.applied(name + "|a")).containsOnly("1");
        cured.set(true);
        await().untilAsserted(() -> assertThat(recorder.applied(name + "|a")).endsWith("1", "2", "3"));
        test.stop(projection);
        if (kind.isExactlyOnce()) {
            assertThat(recorder.applied(name + "|a")).containsExactly("1", "2", "3");
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FLOW")
    void retryAndFail_restartsAfterTheLastRetry(Kind kind) {
        String name = "retry-fail-" + kind;
        AtomicBoolean cured = new AtomicBoolean();
        Recorder recorder = poisoned("1", cured);
        ActorRef<ProjectionBehavior.Command> projection = test.start(
                projection(recorder, kind, name, HandlerRecoveryStrategy.retryAndFail(1, Duration.ofMillis(1))));
        test.persist(name + "|a", "1");

        await().untilAsserted(() -> assertThat(recorder.attempts()).hasSizeGreaterThan(2));
        assertThat(test.stored(name, name + "|a")).isZero();
        cured.set(true);
        await().untilAsserted(() -> assertThat(recorder.applied(name + "|a")).containsExactly("1"));
        test.stop(projection);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FLOW")
    void stop_betweenTwoAttempts_doesNotWait_andDoesNotSkip(Kind kind) {
        String name = "stop-skip-" + kind;
        AtomicBoolean cured = new AtomicBoolean();
        Recorder recorder = poisoned("1", cured);
        PekkoProjection<EventEnvelope<String>> retrying =
                projection(recorder, kind, name, HandlerRecoveryStrategy.retryAndSkip(3, NEVER));
        ActorRef<ProjectionBehavior.Command> projection = test.start(retrying);
        test.persist(name + "|a", "1");
        await().untilAsserted(() -> assertThat(recorder.attempts()).hasSize(1));

        test.stop(projection);

        assertThat(test.stored(name, name + "|a")).isZero();
        cured.set(true);
        ActorRef<ProjectionBehavior.Command> again = test.start(retrying);
        await().untilAsserted(() -> assertThat(recorder.applied(name + "|a")).containsExactly("1"));
        test.stop(again);
    }

    @ParameterizedTest
    @EnumSource
    void stop_beforeARestart_doesNotWait(Kind kind) {
        String name = "stop-backoff-" + kind;
        Recorder recorder = poisoned("1", new AtomicBoolean());
        ActorRef<ProjectionBehavior.Command> projection = test.start(
                projection(recorder, kind, name, HandlerRecoveryStrategy.fail()).withRestartBackoff(NEVER, NEVER, 0));
        test.persist(name + "|a", "1");
        await().untilAsserted(() -> assertThat(recorder.attempts()).hasSize(1));

        test.stop(projection);

        assertThat(recorder.attempts()).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"EXACTLY_ONCE_GROUPED", "AT_LEAST_ONCE_GROUPED"})
    void skip_ofAGroup_advancesAllOfIt(Kind kind) {
        String name = "skip-group-" + kind;
        Recorder recorder = poisoned("2", new AtomicBoolean());
        test.persist(name + "|a", "1", "2", "3");
        ActorRef<ProjectionBehavior.Command> projection = test.start(recorder.projection(kind, name)
                .withGroup(3, NEVER)
                .withRecoveryStrategy(HandlerRecoveryStrategy.skip()));
        await().untilAsserted(() -> assertThat(test.stored(name, name + "|a")).isEqualTo(3));
        test.persist(name + "|a", "4", "5", "6");
        await().untilAsserted(() -> assertThat(recorder.applied(name + "|a")).containsExactly("4", "5", "6"));
        test.stop(projection);
    }
}
