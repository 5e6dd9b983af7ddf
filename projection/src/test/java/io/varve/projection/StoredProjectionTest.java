package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.varve.persistence.internal.plugin.PluginClients;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.projection.Recorder.Kind;
import io.varve.projection.internal.status.CatchUp;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import io.varve.projection.javadsl.StoredProjection;
import io.varve.store.Slices;
import io.varve.store.internal.offset.OffsetSettings;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.FaultProxy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionId;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What can be asked about projections from outside. */
class StoredProjectionTest {
    private static FaultProxy proxy;
    private static TestSystem test;

    @BeforeAll
    static void start() {
        proxy = FaultProxy.start(DynamoDBLocal.shared().endpoint());
        test = new TestSystem(proxy.endpoint(), "");
    }

    @AfterAll
    static void stop() {
        test.close();
        proxy.close();
    }

    private static <T> T get(CompletionStage<T> stage) {
        return TestBench.await(stage);
    }

    private static StoredProjection stored(String name) {
        return StoredProjection.of(test.system(), name, name);
    }

    private static ActorRef<ProjectionBehavior.Command> run(String name) {
        return test.start(new Recorder(test).projection(Kind.AT_LEAST_ONCE, name));
    }

    @Test
    void lag_ofAProjectionThatNeverRan_isAllThatIsStored() {
        test.persistNumbers("never|a", 1, 3);
        test.persistNumbers("never|b", 1, 2);
        List<ProjectionLag> lag = get(stored("never").lag(1));
        assertThat(lag).singleElement().satisfies(one -> {
            assertThat(one.minSlice()).isZero();
            assertThat(one.maxSlice()).isEqualTo(1023);
            assertThat(one.events()).isEqualTo(5);
            assertThat(one.atLeast()).isFalse();
            assertThat(one.age()).isPositive();
            assertThat(one.isCaughtUp()).isFalse();
        });
    }

    @Test
    void lag_ofAStoppedProjection_isWhatWasStoredSince_inTheInstanceThatHasIt() {
        test.persistNumbers("stopped|a", 1, 3);
        ActorRef<ProjectionBehavior.Command> projection = run("stopped");
        get(stored("stopped").whenCaughtUp(TestSystem.PATIENCE));
        test.stop(projection);
        assertThat(get(stored("stopped").lag(4))).hasSize(4).allMatch(ProjectionLag::isCaughtUp);
        test.persistNumbers("stopped|a", 4, 5);
        test.persistNumbers("stopped|b", 1, 2);
        List<ProjectionLag> lag = get(stored("stopped").lag(1024));
        assertThat(lag).hasSize(1024);
        assertThat(lag.get(Slices.of("stopped|a")).events()).isEqualTo(2);
        assertThat(lag.get(Slices.of("stopped|b")).events()).isEqualTo(2);
        assertThat(lag.stream().mapToLong(ProjectionLag::events).sum()).isEqualTo(4);
        assertThat(lag.stream().filter(one -> !one.age().isZero())).hasSize(2);
    }

    @Test
    void lag_ofMoreThanIsLookedAt_isAtLeastThat() {
        test.persistNumbers("many|a", 1, 120);
        assertThat(get(stored("many").lag(1))).singleElement().satisfies(one -> {
            assertThat(one.events()).isEqualTo(100);
            assertThat(one.atLeast()).isTrue();
        });
    }

    @Test
    void lag_readsTheRowsOfSlices_andOnePageOfEachShard() {
        StoredProjection asked = stored("cost");
        get(asked.lag(1));
        proxy.requests().clear();
        get(asked.lag(2));
        List<String> expected = new ArrayList<>(Collections.nCopies(10, "BatchGetItem(100)"));
        expected.add("BatchGetItem(90)");
        expected.addAll(Collections.nCopies(TestSystem.SHARDS, "Query[slice-idx]"));
        assertThat(proxy.requests()
                        .where(request -> request.tables().contains(test.offsets())
                                || request.partitionKeys().stream().anyMatch(key -> key.contains("-cost-")))
                        .operations())
                .containsExactlyInAnyOrderElementsOf(expected);
        assertThat(proxy.requests()
                        .where(request -> request.tables().contains(test.offsets())
                                || request.partitionKeys().stream().anyMatch(key -> key.contains("-cost-")))
                        .capacity()
                        .readUnits())
                .isEqualTo(1090 + TestSystem.SHARDS * 0.5);
    }

    /** An entity in the shard of another one, but not in its slice. */
    private static String neighbour(String type, String other) {
        int slicesPerShard = Slices.NUMBER / TestSystem.SHARDS;
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> type + "|n" + i)
                .filter(id -> Slices.of(id) / slicesPerShard == Slices.of(other) / slicesPerShard
                        && Slices.of(id) != Slices.of(other))
                .findFirst()
                .orElseThrow();
    }

    /** Looks back no further than to where its first page of the index ends, unless a window makes it. */
    private static CompletionStage<Done> caughtUp(String name, Duration window, Duration timeout) {
        Config section = test.system().settings().config().getConfig(DynamoDBProjectionSettings.PATH);
        OffsetTable table = new OffsetTable(
                PluginClients.get(test.system())
                        .connect(section, DynamoDBProjectionSettings.PATH, UnaryOperator.identity(), Runnable::run)
                        .gateway(),
                test.offsets(),
                name,
                OffsetSettings.DEFAULT.withEntityType(name),
                InstantSource.system());
        DynamoDBReadJournal journal = PersistenceQuery.get(test.system())
                .getReadJournalFor(DynamoDBReadJournal.class, DynamoDBReadJournal.Identifier());
        return new CatchUp(name, table, journal::backlog, name, window, InstantSource.system(), test.system())
                .done(timeout);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 120})
    void whenCaughtUp_waitsForAnOldEventThatIsUnderWay_whateverElseOfItsShardIsDone(int seconds) {
        String type = "slow" + seconds;
        Duration window = Duration.ofSeconds(seconds);
        String busy = type + "|busy";
        String quiet = neighbour(type, busy);
        test.persist(quiet, "quiet");
        test.persistNumbers(busy, 1, 120);
        CompletableFuture<Done> gate = new CompletableFuture<>();
        Recorder recorder =
                new Recorder(test, envelope -> envelope.persistenceId().equals(quiet) ? gate : Recorder.done());
        ActorRef<ProjectionBehavior.Command> projection = test.start(recorder.projection(
                Kind.EXACTLY_ONCE,
                ProjectionId.of(type, "0-1023"),
                Optional.of(DynamoDBProjectionSettings.create(test.system()).withParallelism(200)),
                DynamoDBSourceProvider.eventsBySlices(test.system(), type, 0, 1023)));
        StoredProjection asked = stored(type);
        await().until(() -> get(asked.lag(1024)).get(Slices.of(busy)).isCaughtUp());
        assertThat(get(asked.lag(1024)).get(Slices.of(quiet)).events()).isEqualTo(1);
        assertThatThrownBy(() -> get(caughtUp(type, window, Duration.ZERO)))
                .hasCauseInstanceOf(TimeoutException.class)
                .hasMessageContaining("'" + type + "'")
                .hasMessageContaining("1 of the index's shards");
        gate.complete(Done.getInstance());
        get(caughtUp(type, window, TestSystem.PATIENCE));
        assertThat(recorder.applied(quiet)).containsExactly("quiet");
        assertThat(get(asked.lag(1))).allMatch(ProjectionLag::isCaughtUp);
        test.stop(projection);
    }

    @Test
    void whenCaughtUp_withoutAnyEvent_isAtOnce() {
        get(stored("nothing").whenCaughtUp(Duration.ZERO));
    }
}
