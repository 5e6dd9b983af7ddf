package io.varve.projection;

import static io.varve.projection.TestBench.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.projection.Recorder.Kind;
import io.varve.projection.internal.progress.EntityParking;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import io.varve.store.SettingsException;
import io.varve.store.Slices;
import io.varve.store.internal.offset.OffsetTable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.eventsourced.javadsl.EventSourcedProvider;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Entities for whose events the handler fails for good, and those who repair them. */
class ParkTest {
    private static TestBench bench;
    private static TestSystem test;
    private static TestSystem elsewhere;
    private static WarningsOf warnings;

    private final String name = TestBench.freshName();
    private final String bad = name + "|bad";
    private final String good = name + "|good";
    private final Set<String> poisoned = ConcurrentHashMap.newKeySet();
    private final Map<String, CompletableFuture<Done>> held = new ConcurrentHashMap<>();
    private final AtomicInteger reachedHeld = new AtomicInteger();
    private final List<ActorRef<ProjectionBehavior.Command>> running = new ArrayList<>();
    private Recorder recorder;
    private ParkedEntities parked;

    @BeforeAll
    static void start() {
        bench = new TestBench();
        test = new TestSystem("""
                pekko.projection.dynamodb {
                  on-failure = park
                  park { max-parked = 3, check-interval = 100 ms }
                }
                pekko.projection.grouped.group-after-envelopes = 8
                """);
        elsewhere = new TestSystem(
                "pekko.projection.dynamodb.offset-store.timestamp-offset-table = \"" + test.offsets() + "\"");
        warnings = new WarningsOf(EntityParking.class);
    }

    @AfterAll
    static void stop() {
        warnings.close();
        elsewhere.close();
        test.close();
        bench.close();
    }

    @BeforeEach
    void record() {
        recorder = new Recorder(test, this::process);
        parked = ParkedEntities.create(test.system());
    }

    @AfterEach
    void end() {
        running.forEach(test::stop);
    }

    private CompletionStage<Done> process(EventEnvelope<String> envelope) {
        String event = envelope.persistenceId() + " " + envelope.getEvent();
        if (held.containsKey(event)) {
            reachedHeld.incrementAndGet();
        }
        return poisoned.contains(event)
                ? CompletableFuture.failedFuture(new IllegalStateException("poisoned " + envelope.getEvent()))
                : held.getOrDefault(event, CompletableFuture.completedFuture(Done.getInstance()));
    }

    private void run(Kind kind) {
        run(kind, Slices.NUMBER);
    }

    /** Runs instances of so many slices each. */
    private void run(Kind kind, int slices) {
        for (int min = 0; min < Slices.NUMBER; min += slices) {
            running.add(test.start(recorder.projection(
                    kind,
                    ProjectionId.of(name, Integer.toString(min)),
                    DynamoDBSourceProvider.eventsBySlices(test.system(), name, min, min + slices - 1))));
        }
    }

    private void stopAll() {
        running.forEach(test::stop);
        running.clear();
    }

    private void poison(int event) {
        poisoned.add(bad + " " + event);
    }

    private List<ParkedEntity> list() {
        return await(parked.list(name));
    }

    private void awaitParkedAt(long number) {
        Awaitility.await()
                .untilAsserted(() -> assertThat(list()).singleElement().satisfies(entity -> {
                    assertThat(entity.sequenceNumber()).isEqualTo(number);
                    assertThat(entity.state()).isEqualTo(ParkedEntity.State.PARKED);
                }));
    }

    private void awaitApplied(String persistenceId, String... events) {
        Awaitility.await()
                .untilAsserted(() -> assertThat(recorder.applied(persistenceId)).containsExactly(events));
    }

    private void awaitNoneParked() {
        Awaitility.await().untilAsserted(() -> assertThat(list()).isEmpty());
    }

    /** Parks an entity at its second event of three, while another one goes on. */
    private void park(Kind kind) {
        poison(2);
        run(kind);
        test.persistNumbers(bad, 1, 3);
        test.persistNumbers(good, 1, 3);
        awaitParkedAt(2);
        awaitApplied(good, "1", "2", "3");
        awaitApplied(bad, "1");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FLOW")
    void poisonedEvent_itsEntityWaitsAndOthersGoOn_aRetryProcessesAllInOrder(Kind kind) {
        park(kind);
        test.persistNumbers(bad, 4, 4);
        test.persistNumbers(good, 4, 4);
        awaitApplied(good, "1", "2", "3", "4");
        assertThat(recorder.applied(bad)).containsExactly("1");
        ParkedEntity entity = list().get(0);
        assertThat(entity.persistenceId()).isEqualTo(bad);
        assertThat(entity.reason()).isEqualTo("java.lang.IllegalStateException: poisoned 2");
        assertThat(entity.parkedAt()).isAfterOrEqualTo(entity.eventTime());
        assertThat(warnings.messages().stream().filter(message -> message.contains(bad)))
                .singleElement()
                .asString()
                .contains("the handler failed for event 2 of '" + bad + "'. The entity is parked");
        poisoned.clear();
        await(parked.retry(name, bad, 2));
        awaitApplied(bad, "1", "2", "3", "4");
        awaitNoneParked();
        test.persistNumbers(bad, 5, 5);
        awaitApplied(bad, "1", "2", "3", "4", "5");
        assertThat(recorder.applied(good)).containsExactly("1", "2", "3", "4");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FLOW")
    void restartWithAnotherNumberOfInstances_itStaysParked_andIsRetriedFromElsewhere(Kind kind) {
        park(kind);
        stopAll();
        test.persistNumbers(bad, 4, 4);
        run(kind, 512);
        test.persistNumbers(bad, 5, 5);
        test.persistNumbers(good, 4, 4);
        awaitApplied(good, "1", "2", "3", "4");
        awaitParkedAt(2);
        assertThat(recorder.applied(bad)).containsExactly("1");
        poisoned.clear();
        await(ParkedEntities.create(elsewhere.system()).retry(name, bad, 2));
        awaitApplied(bad, "1", "2", "3", "4", "5");
        awaitNoneParked();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FLOW")
    void retryThatFailsAgain_parksAgain(Kind kind) {
        park(kind);
        String reason = list().get(0).parkedAt().toString();
        await(parked.retry(name, bad, 2));
        Awaitility.await()
                .untilAsserted(
                        () -> assertThat(list().get(0).parkedAt().toString()).isNotEqualTo(reason));
        awaitParkedAt(2);
        poison(3);
        poisoned.remove(bad + " 2");
        await(parked.retry(name, bad, 2));
        awaitParkedAt(3);
        awaitApplied(bad, "1", "2");
        poisoned.clear();
        await(parked.retry(name, bad, 3));
        awaitApplied(bad, "1", "2", "3");
        awaitNoneParked();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FLOW")
    void retryThatIsUnderWay_staysInTheList(Kind kind) {
        park(kind);
        AtomicInteger checks = new AtomicInteger();
        ProgressObservers.get(test.system()).add(new ProgressObserver() {
            @Override
            public void stored(ProjectionId id, int slice, Instant seen, Instant stored) {}

            @Override
            public void parkedEntities(ProjectionId id, int entities) {
                if (id.name().equals(name)) {
                    checks.incrementAndGet();
                }
            }
        });
        poisoned.clear();
        CompletableFuture<Done> done = new CompletableFuture<>();
        held.put(bad + " 3", done);
        await(parked.retry(name, bad, 2));
        Awaitility.await().until(() -> reachedHeld.get() > 0);
        int before = checks.get();
        Awaitility.await().until(() -> checks.get() > before + 3);
        assertThat(list())
                .singleElement()
                .satisfies(entity -> assertThat(entity.state()).isEqualTo(ParkedEntity.State.RETRYING));
        done.complete(Done.getInstance());
        awaitApplied(bad, "1", "2", "3");
        awaitNoneParked();
    }

    @ParameterizedTest
    @EnumSource(names = {"EXACTLY_ONCE", "AT_LEAST_ONCE"})
    void skip_leavesOutOneEvent(Kind kind) {
        park(kind);
        await(parked.skip(name, bad, 2));
        awaitApplied(bad, "1", "3");
        awaitNoneParked();
        test.persistNumbers(bad, 4, 4);
        awaitApplied(bad, "1", "3", "4");
    }

    @ParameterizedTest
    @EnumSource(names = {"EXACTLY_ONCE", "AT_LEAST_ONCE"})
    void giveUp_leavesOutAllUntilNow(Kind kind) {
        park(kind);
        await(parked.giveUp(name, bad, 2));
        awaitNoneParked();
        assertThat(recorder.applied(bad)).containsExactly("1");
        test.persistNumbers(bad, 4, 4);
        awaitApplied(bad, "1", "4");
    }

    @ParameterizedTest
    @EnumSource(names = {"EXACTLY_ONCE", "AT_LEAST_ONCE"})
    void firstEventOfAnEntity_canBeParkedAndSkipped(Kind kind) {
        poison(1);
        run(kind);
        test.persistNumbers(bad, 1, 2);
        awaitParkedAt(1);
        assertThat(recorder.applied(bad)).isEmpty();
        await(parked.skip(name, bad, 1));
        awaitApplied(bad, "2");
        awaitNoneParked();
    }

    @Test
    void orderWhileNothingRuns_isCarriedOutAtTheStart() {
        park(Kind.EXACTLY_ONCE);
        stopAll();
        poisoned.clear();
        await(parked.retry(name, bad, 2));
        assertThat(list())
                .singleElement()
                .satisfies(entity -> assertThat(entity.state()).isEqualTo(ParkedEntity.State.RETRYING));
        run(Kind.EXACTLY_ONCE);
        awaitApplied(bad, "1", "2", "3");
        awaitNoneParked();
    }

    @Test
    void retriesOfTheStrategy_comeFirst() {
        poison(1);
        running.add(test.start(recorder.projection(Kind.EXACTLY_ONCE, name)
                .withRecoveryStrategy(HandlerRecoveryStrategy.retryAndFail(2, Duration.ofMillis(1)))));
        test.persistNumbers(bad, 1, 1);
        awaitParkedAt(1);
        assertThat(recorder.attempts()).containsExactly("1", "1", "1");
    }

    @Test
    void strategyThatSkips_parksNothing() {
        poison(1);
        running.add(test.start(
                recorder.projection(Kind.EXACTLY_ONCE, name).withRecoveryStrategy(HandlerRecoveryStrategy.skip())));
        test.persistNumbers(bad, 1, 2);
        awaitApplied(bad, "2");
        assertThat(list()).isEmpty();
    }

    @Test
    void offsetThatIsCleared_endsTheParking() {
        park(Kind.EXACTLY_ONCE);
        stopAll();
        await(table().clear(0, Slices.NUMBER - 1));
        poisoned.clear();
        run(Kind.EXACTLY_ONCE);
        awaitApplied(bad, "1", "1", "2", "3");
        awaitNoneParked();
    }

    private OffsetTable table() {
        return bench.tableOf(test, name);
    }

    @Test
    void tooManyParked_theProjectionFails_untilThereIsRoom() {
        Map<String, String> failures = new ConcurrentHashMap<>();
        ProgressObservers.get(test.system()).add(new ProgressObserver() {
            @Override
            public void stored(ProjectionId id, int slice, Instant seen, Instant stored) {}

            @Override
            public void failed(ProjectionId id, Throwable cause) {
                failures.put(id.name(), String.valueOf(cause.getMessage()));
            }
        });
        List<String> ids = List.of(name + "|1", name + "|2", name + "|3", name + "|4");
        ids.forEach(id -> poisoned.add(id + " 1"));
        run(Kind.EXACTLY_ONCE);
        ids.forEach(id -> test.persistNumbers(id, 1, 1));
        Awaitility.await()
                .untilAsserted(() -> assertThat(failures.get(name))
                        .contains("3 entities are parked already (park.max-parked = 3), so that the projection fails"));
        assertThat(list()).hasSize(3);
        ParkedEntity first = list().get(0);
        await(parked.skip(name, first.persistenceId(), 1));
        Awaitility.await()
                .untilAsserted(() -> assertThat(list())
                        .hasSize(3)
                        .noneMatch(entity -> entity.persistenceId().equals(first.persistenceId())));
    }

    @Test
    void whatIsNotParked_cannotBeOrdered() {
        park(Kind.EXACTLY_ONCE);
        assertThatThrownBy(() -> await(parked.skip(name, bad, 3)))
                .hasMessageContaining("'" + bad + "' is not parked at event 3 in projection '" + name + "'");
        assertThatThrownBy(() -> await(parked.retry(name, good, 1))).hasMessageContaining("is not parked");
        awaitParkedAt(2);
    }

    @Test
    void whatCannotPark_isRefused() {
        assertThatThrownBy(() -> recorder.projection(Kind.FLOW, name))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("pekko.projection.dynamodb.on-failure")
                .hasMessageContaining("a flow fails as a whole");
        assertThatThrownBy(() -> recorder.projection(
                        Kind.EXACTLY_ONCE,
                        ProjectionId.of(name, "0"),
                        EventSourcedProvider.eventsBySlices(test.system(), "dynamodb-read-journal", name, 0, 1023)))
                .hasMessageContaining("on-failure = park")
                .hasMessageContaining("DynamoDBSourceProvider.eventsBySlices");
        Optional<DynamoDBProjectionSettings> own =
                Optional.of(DynamoDBProjectionSettings.create(test.system()).withOnFailure(OnFailure.FAIL));
        assertThat(recorder.projection(
                        Kind.FLOW,
                        ProjectionId.of(name, "0"),
                        own,
                        DynamoDBSourceProvider.eventsBySlices(test.system(), name, 0, 1023)))
                .isNotNull();
    }
}
