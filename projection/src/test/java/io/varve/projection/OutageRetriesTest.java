package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.varve.projection.internal.retry.OutageRetries;
import io.varve.projection.internal.retry.StopSignal;
import io.varve.projection.internal.settings.OffsetStoreSettings;
import io.varve.projection.internal.settings.Pauses;
import io.varve.store.VarveException;
import io.varve.store.internal.offset.LastProcessed;
import io.varve.store.internal.offset.SetOffsets;
import io.varve.testkit.Fault;
import io.varve.testkit.RequestMatch;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.RunningProjection.AbortProjectionException$;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** How outages are waited out, told and ended by a stop. */
class OutageRetriesTest {
    private static final OffsetStoreSettings.Retries SOON =
            new OffsetStoreSettings.Retries(2, new Pauses(Duration.ofMillis(1), Duration.ofMillis(2), 0.5));
    private static final OffsetStoreSettings.Retries LATER =
            new OffsetStoreSettings.Retries(2, new Pauses(Duration.ofHours(1), Duration.ofHours(1), 0));

    private static TestBench bench;

    private final String name = TestBench.freshName();
    private final StopSignal stop = new StopSignal();
    private Instant now = Instant.EPOCH;

    @BeforeAll
    static void start() {
        bench = new TestBench();
    }

    @AfterAll
    static void stop() {
        bench.close();
    }

    @AfterEach
    void clear() {
        bench.proxy().clear();
    }

    private OutageRetries outages(OffsetStoreSettings.Retries retries) {
        return new OutageRetries(
                ProjectionId.of(name, "0"),
                retries,
                ProgressObservers.get(bench.system()),
                bench.timer(),
                () -> now,
                stop);
    }

    /** Saves a row; each attempt takes so long. */
    private Supplier<CompletionStage<Void>> saving(AtomicInteger attempts, Duration each) {
        return () -> {
            attempts.incrementAndGet();
            now = now.plus(each);
            return bench.table(name).save(List.of(new LastProcessed("a", 1, 1)), SetOffsets.NONE);
        };
    }

    private static void refuse(int times, String code) {
        bench.proxy().on(RequestMatch.operation("BatchWriteItem").times(times), Fault.error(400, code, "not now"));
    }

    @Test
    void attempts_goOnUntilItWorks_andAreLoggedOnceAMinute() {
        refuse(40, "AccessDeniedException");
        AtomicInteger attempts = new AtomicInteger();
        try (WarningsOf warnings = new WarningsOf(OutageRetries.class)) {
            TestBench.await(outages(SOON).run(saving(attempts, Duration.ofSeconds(5))));
            assertThat(warnings.messages())
                    .hasSize(4)
                    .allMatch(message -> message.startsWith(name + "-0: DynamoDB does not store or answer"))
                    .allMatch(message -> message.contains("not now"))
                    .anyMatch(message -> message.contains("for 60 s so far"));
        }
        assertThat(attempts).hasValue(41);
    }

    @Test
    void whatNeverWorks_failsAtOnce_orAfterTheRetriesOfTheSettings() {
        refuse(4, "ValidationException");
        AtomicInteger once = new AtomicInteger();
        assertThatThrownBy(() -> TestBench.await(outages(SOON).run(saving(once, Duration.ZERO))))
                .isInstanceOf(VarveException.class)
                .hasMessageContaining("not now");
        assertThat(once).hasValue(1);

        AtomicInteger stubbornly = new AtomicInteger();
        try (WarningsOf warnings = new WarningsOf(OutageRetries.class)) {
            assertThatThrownBy(() -> TestBench.await(outages(SOON).runStubbornly(saving(stubbornly, Duration.ZERO))))
                    .hasMessageContaining("not now");
            assertThat(warnings.messages()).hasSize(1);
        }
        assertThat(stubbornly).hasValue(3);
    }

    @Test
    void stop_endsPauses_andLetsWhatIsUnderWayFinish() {
        OutageRetries outages = outages(LATER);
        CompletableFuture<Void> running = new CompletableFuture<>();
        CompletableFuture<Void> working = new CompletableFuture<>();
        AtomicInteger attempts = new AtomicInteger();
        try (WarningsOf warnings = new WarningsOf(OutageRetries.class)) {
            refuse(1, "AccessDeniedException");
            CompletableFuture<Throwable> noticed = new CompletableFuture<>();
            ProgressObservers.get(bench.system()).add(new ProgressObserver() {
                @Override
                public void stored(ProjectionId projection, int slice, Instant seen, Instant stored) {}

                @Override
                public void outage(ProjectionId projection, Throwable cause, Duration lasting) {
                    if (projection.name().equals(name)) {
                        noticed.complete(cause);
                    }
                }
            });
            CompletableFuture<Void> pausing =
                    outages.run(saving(attempts, Duration.ZERO)).toCompletableFuture();
            Throwable cause = noticed.join();
            CompletionStage<Void> fails = outages.run(() -> running);
            CompletionStage<Void> works = outages.run(() -> working);

            stop.stop();

            assertThatThrownBy(() -> TestBench.await(pausing)).isInstanceOf(AbortProjectionException$.class);
            assertThat(fails.toCompletableFuture()).isNotDone();
            running.completeExceptionally(cause);
            assertThatThrownBy(() -> TestBench.await(fails)).isInstanceOf(AbortProjectionException$.class);
            working.complete(null);
            TestBench.await(works);
            assertThat(warnings.messages()).hasSize(1);
        }
        assertThat(attempts).hasValue(1);
    }

    @Test
    void afterAStop_everythingIsTriedOnce() {
        OutageRetries outages = outages(SOON);
        stop.stop();
        refuse(1, "AccessDeniedException");
        AtomicInteger attempts = new AtomicInteger();
        try (WarningsOf warnings = new WarningsOf(OutageRetries.class)) {
            assertThatThrownBy(() -> TestBench.await(outages.run(saving(attempts, Duration.ZERO))))
                    .isInstanceOf(AbortProjectionException$.class);
            assertThat(warnings.messages()).hasSize(1);
        }
        TestBench.await(outages.run(saving(attempts, Duration.ZERO)));
        assertThat(attempts).hasValue(2);
    }

    @Test
    void actionThatThrows_fails() {
        assertThatThrownBy(() -> TestBench.await(outages(SOON).run(() -> {
                    throw new IllegalArgumentException("thrown");
                })))
                .hasMessage("thrown");
    }
}
