package io.varve.projection;

import static io.varve.projection.TestBench.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.projection.internal.event.AdaptedEvent;
import io.varve.projection.internal.event.Position;
import io.varve.projection.internal.progress.InFlight;
import io.varve.projection.internal.progress.OffsetSaver;
import io.varve.projection.internal.progress.StreamProgress;
import io.varve.testkit.Fault;
import io.varve.testkit.Gate;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.pekko.projection.ProjectionId;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When the places of slices are stored. */
class OffsetSaverTest {
    private static final RequestMatch PLACES = RequestMatch.operation("BatchWriteItem");
    private static TestBench bench;

    private final String name = TestBench.freshName();
    private final StreamProgress progress = new StreamProgress(Duration.ofMinutes(5), 1_000, Optional.empty());

    @BeforeAll
    static void start() {
        bench = new TestBench();
    }

    @AfterAll
    static void stop() {
        bench.close();
    }

    @BeforeEach
    void open() {
        bench.proxy().requests().clear();
    }

    @AfterEach
    void clear() {
        bench.proxy().clear();
    }

    private OffsetSaver saver() {
        return new OffsetSaver(
                ProjectionId.of(name, "0"),
                bench.table(name),
                TestBench.values(DynamoDBProjectionSettings.create(bench.system()))
                        .batchSize(),
                progress,
                ProgressObservers.get(bench.system()),
                bench.outages(name));
    }

    private void process(long number) {
        Position position = new Position("a", number, TestEvents.timestamp(number), 5);
        InFlight<?> event = new InFlight<>(new AdaptedEvent<>(position, List.of()), position.timestamp());
        progress.begin(event);
        progress.complete(List.of(event));
    }

    private long stored() {
        return await(bench.directTable(name).read(5, 5)).places().values().stream()
                .mapToLong(place -> place.timestamp())
                .max()
                .orElse(0);
    }

    @Test
    void flushesThatAreDueMeanwhile_areNotWaitedFor() {
        Gate gate = bench.proxy().hold(PLACES, Fault.error(400, "ValidationException", "no"));
        OffsetSaver saver = saver();
        process(1);
        try (WarningsOf warnings = new WarningsOf(OffsetSaver.class)) {
            saver.flush();
            gate.awaitArrival();
            for (int i = 0; i < 10; i++) {
                saver.flush();
            }
            gate.release();
            assertThat(await(saver.lastFlush())).isFalse();
            assertThat(warnings.messages())
                    .singleElement()
                    .asString()
                    .contains("the places of 1 slices could not be stored and will be again");
        }
        assertThat(bench.proxy().requests().operations()).hasSize(1);
        assertThat(stored()).isZero();
    }

    @Test
    void lastFlush_storesWhatMovedWhileOneWasUnderWay() {
        Gate gate = bench.proxy().hold(PLACES.times(1));
        OffsetSaver saver = saver();
        process(1);
        saver.flush();
        gate.awaitArrival();
        process(2);
        saver.flush();
        gate.release();
        assertThat(await(saver.lastFlush())).isTrue();
        assertThat(stored()).isEqualTo(TestEvents.timestamp(2));
        assertThat(bench.proxy().requests().operations()).hasSize(2);
    }

    @Test
    void flushThatFailed_isDoneAgain() {
        bench.proxy().on(PLACES.times(1), Fault.error(400, "ValidationException", "no"));
        OffsetSaver saver = saver();
        process(1);
        try (WarningsOf warnings = new WarningsOf(OffsetSaver.class)) {
            saver.flush();
            assertThat(await(saver.lastFlush())).as("not after a failure").isFalse();
            assertThat(warnings.messages()).hasSize(1);
        }
        saver.flush();
        assertThat(await(saver.lastFlush())).isTrue();
        assertThat(stored()).isEqualTo(TestEvents.timestamp(1));
    }
}
