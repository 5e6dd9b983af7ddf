package io.varve.projection;

import static io.varve.projection.TestBench.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.projection.Recorder.Kind;
import io.varve.projection.internal.reached.RunningInstances;
import io.varve.store.Slices;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.FaultProxy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionId;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who waits for an event: on the node that processes it, and elsewhere. */
class ProjectionProgressTest {
    private static final Duration LONG = TestSystem.PATIENCE;
    private static final Duration SHORT = Duration.ofMillis(300);

    private static FaultProxy proxy;
    private static TestSystem test;
    private static TestSystem elsewhere;

    private final String name = TestBench.freshName();
    private final Map<String, CompletableFuture<Done>> held = new ConcurrentHashMap<>();
    private Recorder recorder;

    @BeforeAll
    static void start() {
        proxy = FaultProxy.start(DynamoDBLocal.shared().endpoint());
        test = new TestSystem(proxy.endpoint(), "");
        elsewhere = new TestSystem(
                "pekko.projection.dynamodb.offset-store.timestamp-offset-table = \"" + test.offsets() + "\"");
    }

    @BeforeEach
    void record() {
        recorder = new Recorder(test, this::hold);
    }

    @AfterAll
    static void stop() {
        elsewhere.close();
        test.close();
        proxy.close();
    }

    private CompletionStage<Done> hold(EventEnvelope<String> envelope) {
        return held.getOrDefault(envelope.getEvent(), CompletableFuture.completedFuture(Done.getInstance()));
    }

    private CompletionStage<Done> whenProcessed(TestSystem node, long number, Duration timeout) {
        return ProjectionProgress.create(node.system())
                .whenProcessed(ProjectionId.of(name, "any"), name + "|1", number, timeout);
    }

    private ActorRef<ProjectionBehavior.Command> run(Kind kind) {
        return test.start(recorder.projection(kind, name).withSaveOffset(1_000, Duration.ofHours(1)));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void whereItRuns_whoWaitsIsToldWhenTheHandlerIsDone(Kind kind) {
        held.put("3", new CompletableFuture<>());
        ActorRef<ProjectionBehavior.Command> running = run(kind);
        test.persistNumbers(name + "|1", 1, 2);
        await(whenProcessed(test, 2, LONG));
        assertThat(recorder.applied(name + "|1")).containsExactly("1", "2");
        test.persistNumbers(name + "|1", 3, 3);
        CompletableFuture<Done> third = whenProcessed(test, 3, LONG).toCompletableFuture();
        CompletableFuture<Done> first = whenProcessed(test, 1, LONG).toCompletableFuture();
        await(first);
        assertThat(third).isNotDone();
        held.get("3").complete(Done.getInstance());
        await(third);
        assertThat(recorder.applied(name + "|1")).containsExactly("1", "2", "3");
        test.stop(running);
    }

    @Test
    void whereItRuns_nothingIsReadForAnEntityInMemory() {
        held.put("2", new CompletableFuture<>());
        ActorRef<ProjectionBehavior.Command> running = run(Kind.EXACTLY_ONCE);
        test.persistNumbers(name + "|1", 1, 1);
        await(whenProcessed(test, 1, LONG));
        proxy.requests().clear();
        CompletionStage<Done> second = whenProcessed(test, 2, LONG);
        test.persistNumbers(name + "|1", 2, 2);
        held.get("2").complete(Done.getInstance());
        await(second);
        assertThat(proxy.requests()
                        .table(test.offsets())
                        .where(request -> request.operation().equals("BatchGetItem"))
                        .operations())
                .isEmpty();
        test.stop(running);
    }

    @Test
    void whereItRuns_anEntityThatIsNotInMemoryIsReadOnce() {
        ActorRef<ProjectionBehavior.Command> before = run(Kind.EXACTLY_ONCE);
        test.persistNumbers(name + "|1", 1, 1);
        await(whenProcessed(test, 1, LONG));
        test.stop(before);
        held.put("1", new CompletableFuture<>());
        // an instance of the same name that never hears of the entity
        ActorRef<ProjectionBehavior.Command> running =
                test.start(recorder.projection(Kind.EXACTLY_ONCE, ProjectionId.of(name, "2"), providerOfNothing()));
        awaitInstance();
        await(whenProcessed(test, 1, LONG));
        test.stop(running);
    }

    private static org.apache.pekko.projection.javadsl.SourceProvider<
                    org.apache.pekko.persistence.query.Offset, EventEnvelope<String>>
            providerOfNothing() {
        return io.varve.projection.javadsl.DynamoDBSourceProvider.eventsBySlices(
                test.system(), "nothing", 0, Slices.NUMBER - 1);
    }

    private void awaitInstance() {
        Awaitility.await()
                .until(() -> RunningInstances.get(test.system())
                        .find(name, Slices.of(name + "|1"))
                        .isPresent());
    }

    @ParameterizedTest
    @EnumSource(names = {"EXACTLY_ONCE", "EXACTLY_ONCE_GROUPED", "AT_LEAST_ONCE_GROUPED"})
    void elsewhere_theRowIsReadUntilItSaysSo(Kind kind) {
        held.put("2", new CompletableFuture<>());
        ActorRef<ProjectionBehavior.Command> running = run(kind);
        test.persistNumbers(name + "|1", 1, 1);
        await(whenProcessed(elsewhere, 1, LONG));
        test.persistNumbers(name + "|1", 2, 2);
        CompletableFuture<Done> second = whenProcessed(elsewhere, 2, LONG).toCompletableFuture();
        assertThat(second).isNotDone();
        held.get("2").complete(Done.getInstance());
        await(second);
        assertThat(recorder.applied(name + "|1")).containsExactly("1", "2");
        test.stop(running);
    }

    @Test
    void instanceThatEnds_theWaitGoesOnWithWhoeverProcessesIt() {
        ActorRef<ProjectionBehavior.Command> running = run(Kind.EXACTLY_ONCE);
        test.persistNumbers(name + "|1", 1, 1);
        await(whenProcessed(test, 1, LONG));
        CompletableFuture<Done> second = whenProcessed(test, 2, LONG).toCompletableFuture();
        test.stop(running);
        test.persistNumbers(name + "|1", 2, 2);
        assertThat(second).isNotDone();
        ActorRef<ProjectionBehavior.Command> again = run(Kind.EXACTLY_ONCE);
        await(second);
        assertThat(recorder.applied(name + "|1")).containsExactly("1", "2");
        test.stop(again);
    }

    @Test
    void skippedEvent_countsAsProcessed() {
        held.put("1", CompletableFuture.failedFuture(new IllegalStateException("poisoned")));
        try (WarningsOf warnings = new WarningsOf(io.varve.projection.internal.pekko.PekkoRecovery.class)) {
            ActorRef<ProjectionBehavior.Command> running = test.start(
                    recorder.projection(Kind.AT_LEAST_ONCE, name).withRecoveryStrategy(HandlerRecoveryStrategy.skip()));
            test.persistNumbers(name + "|1", 1, 1);
            await(whenProcessed(test, 1, LONG));
            assertThat(recorder.applied(name + "|1")).isEmpty();
            assertThat(warnings.messages()).isNotEmpty();
            test.stop(running);
        }
    }

    @Test
    void timeout_saysHowFarItIs() {
        assertThatThrownBy(() -> await(whenProcessed(elsewhere, 7, SHORT)))
                .isInstanceOfSatisfying(ProcessingTimeoutException.class, timeout -> {
                    assertThat(timeout.projection()).isEqualTo(name);
                    assertThat(timeout.persistenceId()).isEqualTo(name + "|1");
                    assertThat(timeout.sequenceNumber()).isEqualTo(7);
                    assertThat(timeout.reached()).isZero();
                })
                .hasMessageContaining("Projection '" + name + "' has not processed event 7 of '" + name
                        + "|1' within 300 ms: it has processed none of the entity.");
        ActorRef<ProjectionBehavior.Command> running = run(Kind.EXACTLY_ONCE);
        test.persistNumbers(name + "|1", 1, 2);
        await(whenProcessed(test, 2, LONG));
        for (TestSystem node : new TestSystem[] {test, elsewhere}) {
            assertThatThrownBy(() -> await(whenProcessed(node, 3, SHORT)))
                    .isInstanceOf(ProcessingTimeoutException.class)
                    .hasMessageContaining("it is at event 2.");
        }
        test.stop(running);
    }

    @Test
    void whatCannotBe_isRefused() {
        assertThatThrownBy(() -> whenProcessed(test, 0, SHORT))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("sequence numbers begin with 1");
        assertThatThrownBy(() -> await(ProjectionProgress.create(test.system()).whenProcessed(name, "_mgmt", 1, SHORT)))
                .hasMessageContaining("cannot be projected");
    }
}
