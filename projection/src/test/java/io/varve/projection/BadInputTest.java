package io.varve.projection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.varve.projection.Recorder.Kind;
import io.varve.projection.internal.pekko.PekkoProjection;
import io.varve.projection.javadsl.DynamoDBProjection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.persistence.query.typed.javadsl.EventTimestampQuery;
import org.apache.pekko.persistence.query.typed.javadsl.LoadEventQuery;
import org.apache.pekko.projection.BySlicesSourceProvider;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.StatusObserver;
import org.apache.pekko.projection.eventsourced.javadsl.EventSourcedProvider;
import org.apache.pekko.projection.javadsl.Handler;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.apache.pekko.stream.javadsl.Source;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a projection refuses. */
class BadInputTest {
    private static TestSystem test;

    @BeforeAll
    static void start() {
        test = new TestSystem("");
    }

    @AfterAll
    static void stop() {
        test.close();
    }

    @Test
    void source_thatIsNotBySlices_isRefused() {
        assertThatThrownBy(() -> DynamoDBProjection.atLeastOnce(
                        ProjectionId.of("by-tag", "all"),
                        Optional.empty(),
                        EventSourcedProvider.<String>eventsByTag(test.system(), "dynamodb-read-journal", "tag"),
                        () -> Handler.fromFunction(envelope -> Recorder.done()),
                        test.system()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("by-tag")
                .hasMessageContaining("eventsBySlices");
    }

    /** By slices, but without single events. */
    private static class Bare extends SourceProvider<Offset, String> implements BySlicesSourceProvider {
        @Override
        public int minSlice() {
            return 0;
        }

        @Override
        public int maxSlice() {
            return 1;
        }

        @Override
        public CompletionStage<Source<String, NotUsed>> source(Supplier<CompletionStage<Optional<Offset>>> offset) {
            return CompletableFuture.completedFuture(Source.single("text"));
        }

        @Override
        public Offset extractOffset(String envelope) {
            return Offset.noOffset();
        }

        @Override
        public long extractCreationTime(String envelope) {
            return 0;
        }
    }

    private static final class Texts extends Bare implements EventTimestampQuery, LoadEventQuery {
        @Override
        public CompletionStage<Optional<Instant>> timestampOf(String persistenceId, long sequenceNr) {
            return CompletableFuture.completedFuture(Optional.empty());
        }

        @Override
        public <E> CompletionStage<EventEnvelope<E>> loadEnvelope(String persistenceId, long sequenceNr) {
            return CompletableFuture.failedFuture(new UnsupportedOperationException());
        }
    }

    @Test
    void source_withoutSingleEvents_isRefused() {
        assertThatThrownBy(() -> DynamoDBProjection.atLeastOnce(
                        ProjectionId.of("bare", "all"),
                        Optional.empty(),
                        new Bare(),
                        () -> Handler.fromFunction(envelope -> Recorder.done()),
                        test.system()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot load single events");
    }

    @Test
    void envelope_ofAnotherType_failsTheProjection() {
        List<String> failures = new CopyOnWriteArrayList<>();
        ActorRef<ProjectionBehavior.Command> projection = test.start(DynamoDBProjection.atLeastOnce(
                        ProjectionId.of("texts", "all"),
                        Optional.empty(),
                        new Texts(),
                        () -> Handler.fromFunction(envelope -> Recorder.done()),
                        test.system())
                .withStatusObserver(new StatusObserver<>() {
                    @Override
                    public void started(ProjectionId projection) {}

                    @Override
                    public void failed(ProjectionId projection, Throwable cause) {
                        failures.add(String.valueOf(cause.getMessage()));
                    }

                    @Override
                    public void stopped(ProjectionId projection) {}

                    @Override
                    public void beforeProcess(ProjectionId projection, String envelope) {}

                    @Override
                    public void afterProcess(ProjectionId projection, String envelope) {}

                    @Override
                    public void offsetProgress(ProjectionId projection, String envelope) {}

                    @Override
                    public void error(
                            ProjectionId projection,
                            String envelope,
                            Throwable cause,
                            HandlerRecoveryStrategy recoveryStrategy) {}
                }));
        await().untilAsserted(() ->
                assertThat(failures).isNotEmpty().allMatch(message -> message.contains("java.lang.String")));
        test.stop(projection);
    }

    @Test
    void sizesBelowOne_areRefused() {
        PekkoProjection<?> projection = new Recorder(test).projection(Kind.AT_LEAST_ONCE, "sizes");
        assertThatThrownBy(() -> projection.withGroup(0, Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> projection.withSaveOffset(0, Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> projection.withSaveOffset(2, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> projection.withSaveOffset(1, Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> projection.withGroup(2, Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
    }
}
