package io.varve.benchmark.delivery;

import io.varve.projection.DynamoDBProjectionSettings;
import io.varve.projection.DynamoDBTransactHandler;
import io.varve.projection.javadsl.DynamoDBProjection;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.pattern.Patterns;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.Projection;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.javadsl.Handler;
import org.apache.pekko.projection.javadsl.SourceProvider;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** Starts projections of all slices whose handlers only tell that an event has come. */
record ProjectionStarter(BenchSystem bench) {
    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private static final Duration LONGEST_STOP = Duration.ofSeconds(30);

    /** A projection that runs until it is closed. */
    record Running(ActorRef<ProjectionBehavior.Command> actor) implements AutoCloseable {
        /** Waits until it has stopped, so that it asks no server any more that is about to end. */
        @Override
        public void close() {
            Patterns.gracefulStop(Adapter.toClassic(actor), LONGEST_STOP, ProjectionBehavior.stopMessage())
                    .toCompletableFuture()
                    .join();
        }
    }

    Running exactlyOnce(String name, int parallelism, Consumer<String> handler) {
        return exactlyOnce(
                name, DynamoDBProjectionSettings.create(bench.system()).withParallelism(parallelism), handler);
    }

    Running groupCommit(String name, int parallelism, int events, Consumer<String> handler) {
        return exactlyOnce(
                name,
                DynamoDBProjectionSettings.create(bench.system())
                        .withParallelism(parallelism)
                        .withGroupCommit(events),
                handler);
    }

    private Running exactlyOnce(String name, DynamoDBProjectionSettings settings, Consumer<String> handler) {
        return start(DynamoDBProjection.exactlyOnce(
                ProjectionId.of(name, "all"),
                Optional.of(settings),
                source(),
                () -> DynamoDBTransactHandler.fromFunction(envelope -> {
                    handler.accept(envelope.event());
                    Collection<TransactWriteItem> nothing = List.of();
                    return CompletableFuture.completedFuture(nothing);
                }),
                bench.system()));
    }

    Running atLeastOnce(String name, Consumer<String> handler) {
        return start(DynamoDBProjection.atLeastOnce(
                ProjectionId.of(name, "all"),
                Optional.empty(),
                source(),
                () -> Handler.fromFunction(envelope -> {
                    handler.accept(envelope.event());
                    return CompletableFuture.completedFuture(Done.getInstance());
                }),
                bench.system()));
    }

    private SourceProvider<Offset, EventEnvelope<String>> source() {
        return DynamoDBSourceProvider.eventsBySlices(bench.system(), "bench", 0, 1023);
    }

    private Running start(Projection<?> projection) {
        return new Running(bench.system()
                .systemActorOf(
                        ProjectionBehavior.create(projection),
                        "projection-" + NUMBERS.incrementAndGet(),
                        Props.empty()));
    }
}
