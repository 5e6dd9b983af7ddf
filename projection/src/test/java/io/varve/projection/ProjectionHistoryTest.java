package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.projection.internal.event.Position;
import io.varve.projection.internal.status.ProjectionHistory;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.store.internal.offset.SetOffsets;
import io.varve.store.internal.offset.SliceOffset;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a projection that replaces another one is told of its events. */
class ProjectionHistoryTest {
    private static final Duration SHORT = Duration.ofMillis(1);
    private static TestBench bench;

    private final String name = TestBench.freshName();
    private final String id = TestEvents.ofSlice(5, 1).get(0);

    @BeforeAll
    static void start() {
        bench = new TestBench();
    }

    @AfterAll
    static void stop() {
        bench.close();
    }

    @BeforeEach
    void clear() {
        bench.proxy().clear();
        bench.proxy().requests().clear();
    }

    private OffsetTable old() {
        return bench.directTable(name);
    }

    private ProjectionHistory asked(Duration patience) {
        return asked(patience, Optional.empty(), Optional.empty());
    }

    private ProjectionHistory asked(Duration patience, Optional<Duration> timeToLive, Optional<Duration> reset) {
        return new ProjectionHistory(
                name,
                bench.table(name),
                new ProjectionHistory.Rules(patience, SHORT, timeToLive, reset),
                InstantSource.system(),
                bench.system());
    }

    private Position event(long number, long timestamp) {
        return new Position(id, number, timestamp, 5);
    }

    private void process(long number, long timestamp) {
        TestBench.await(old().save(List.of(new LastProcessed(id, number, timestamp)), SetOffsets.NONE));
    }

    private void pause() {
        TestBench.await(old().setPaused(5, 5, true));
    }

    private boolean contains(ProjectionHistory asked, Position event) {
        return TestBench.await(asked.contain(event));
    }

    @Test
    void eventsUpToTheLastProcessed_areProcessed_atOneReadEachAfterTheFirst() {
        process(7, 700);
        ProjectionHistory asked = asked(TestBench.LONG);
        assertThat(contains(asked, event(7, 700))).isTrue();
        bench.proxy().requests().clear();
        assertThat(contains(asked, event(6, 600))).isTrue();
        assertThat(bench.proxy().requests().operations()).containsExactly("BatchGetItem(1)");
        assertThat(bench.proxy().requests().capacity().readUnits()).isEqualTo(1);
    }

    @Test
    void laterEvent_isLeftToWhoAsks_onlyWhenTheProjectionIsPaused() {
        process(7, 700);
        assertThatThrownBy(() -> contains(asked(Duration.ZERO), event(8, 800)))
                .hasCauseInstanceOf(TimeoutException.class)
                .hasMessageContaining(name)
                .hasMessageContaining("event 8 of '" + id + "'")
                .hasMessageContaining("pause it");
        pause();
        assertThat(contains(asked(Duration.ZERO), event(8, 800))).isFalse();
        assertThat(contains(asked(Duration.ZERO), event(7, 700))).isTrue();
    }

    @Test
    void laterEvent_isWaitedForUntilItIsProcessed() {
        process(7, 700);
        ProjectionHistory asked = asked(TestBench.LONG);
        CompletableFuture<Boolean> answer = asked.contain(event(8, 800)).toCompletableFuture();
        org.awaitility.Awaitility.await().until(() -> bench.proxy().requests().size() > 5);
        assertThat(answer).isNotDone();
        process(8, 800);
        assertThat(TestBench.await(answer)).isTrue();
    }

    @Test
    void eventThatIsProcessedJustBeforeThePause_isProcessed_althoughItsRowWasReadBefore() {
        process(7, 700);
        ProjectionHistory asked = asked(TestBench.LONG);
        assertThat(contains(asked, event(7, 700))).isTrue();
        Gate slice = bench.proxy()
                .hold(RequestMatch.operation("BatchGetItem")
                        .table(bench.offsets())
                        .skip(1)
                        .times(1));
        CompletableFuture<Boolean> answer = asked.contain(event(8, 800)).toCompletableFuture();
        slice.awaitArrival();
        process(8, 800);
        pause();
        slice.release();
        assertThat(TestBench.await(answer)).isTrue();
    }

    @Test
    void offsetThatIsSet_countsFromThenOn() {
        process(7, 700);
        ProjectionHistory asked = asked(TestBench.LONG);
        assertThat(contains(asked, event(7, 700))).isTrue();
        TestBench.await(old().set(Map.of(5, new SliceOffset(500, Map.of(), 500))));
        pause();
        assertThat(contains(asked, event(7, 700))).as("taken back").isFalse();
        assertThat(contains(asked, event(4, 400))).as("before the offset").isTrue();
    }

    @Test
    void entityThatBeganAnew_isNotTakenForTheOldOne() {
        process(7, 700);
        pause();
        ProjectionHistory asked = asked(Duration.ZERO, Optional.empty(), Optional.of(Duration.ofSeconds(1)));
        assertThat(contains(asked, event(1, 5_000_000))).isFalse();
        assertThat(contains(asked, event(1, 100))).isTrue();
        assertThat(contains(asked(Duration.ZERO), event(1, 5_000_000)))
                .as("without the setting by number")
                .isTrue();
    }

    @Test
    void rowThatHasExpired_isDecidedByThePlaceOfItsSlice() {
        long now = Instant.now().toEpochMilli() * 1_000;
        TestBench.await(old().save(Map.of(5, new SliceOffset(now, Map.of(), 0)), SetOffsets.NONE));
        pause();
        ProjectionHistory asked = asked(Duration.ZERO, Optional.of(Duration.ofDays(1)), Optional.empty());
        assertThat(contains(asked, event(3, now - 2 * 86_400_000_000L))).isTrue();
        assertThat(contains(asked, event(3, now - 1_000)))
                .as("too young to have expired")
                .isFalse();
    }
}
