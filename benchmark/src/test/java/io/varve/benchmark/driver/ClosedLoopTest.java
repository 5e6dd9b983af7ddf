package io.varve.benchmark.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClosedLoopTest {
    private final ExecutorService threads = Executors.newFixedThreadPool(2);

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    @Test
    void eachWorkerHasOneWriteUnderWay_andTheWarmUpIsNotMeasured() throws InterruptedException {
        AtomicInteger underWay = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger all = new AtomicInteger();
        Map<String, Object> figures = new ClosedLoop(3, 1000, 1, (worker, outcome) -> {
                    most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
                    threads.execute(() -> {
                        underWay.decrementAndGet();
                        all.incrementAndGet();
                        outcome.persisted();
                    });
                })
                .run(Duration.ofMillis(50));
        assertThat(most.get()).isBetween(1, 3);
        assertThat(underWay.get()).isZero();
        assertThat((long) Objects.requireNonNull(figures.get("events")))
                .isPositive()
                .isLessThanOrEqualTo(all.get() - 1000);
        assertThat(figures).containsKeys("eventsPerSecond", "cpuMicros", "bytes", "p50", "p99", "cpuMicrosByThread");
    }

    @Test
    void failedWrite_endsTheMeasurement() {
        ClosedLoop loop =
                new ClosedLoop(2, 10, 1, (worker, outcome) -> outcome.failed(new IllegalStateException("no table")));
        assertThatThrownBy(() -> loop.run(Duration.ofMinutes(1))).hasMessageContaining("no table");
    }

    @Test
    void threadsOfOnePool_areOneGroup() {
        assertThat(Usage.group("varve-dynamodb-1-3")).isEqualTo("varve-dynamodb-1");
        assertThat(Usage.group("benchmark-pekko.actor.default-dispatcher-12"))
                .isEqualTo("benchmark-pekko.actor.default-dispatcher");
        assertThat(Usage.group("main")).isEqualTo("main");
    }
}
