package io.varve.benchmark.delivery;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.persistence.DynamoDBClients;
import io.varve.projection.DynamoDBProjectionSettings;
import io.varve.projection.DynamoDBTransactHandler;
import io.varve.projection.ItemTable;
import io.varve.projection.JacksonItemCodec;
import io.varve.projection.ViewHandler;
import io.varve.projection.javadsl.DynamoDBProjection;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
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
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** Starts projections of all slices whose handlers only tell that an event has come. */
record ProjectionStarter(BenchSystem bench) {
    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private static final String VIEWS = "views";
    private static final String KEY = "id";
    private static final Duration LONGEST_STOP = Duration.ofSeconds(30);

    /** A projection that runs until it is closed. */
    record Running(List<ActorRef<ProjectionBehavior.Command>> actors) implements AutoCloseable {
        /** Waits until it has stopped, so that it asks no server any more that is about to end. */
        @Override
        public void close() {
            List<CompletableFuture<Boolean>> stops = actors.stream()
                    .map(actor -> Patterns.gracefulStop(
                                    Adapter.toClassic(actor), LONGEST_STOP, ProjectionBehavior.stopMessage())
                            .toCompletableFuture())
                    .toList();
            stops.forEach(CompletableFuture::join);
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

    /** The table of read models that have one item for each entity. */
    void createViews() {
        DynamoDBClients.get(bench.system())
                .client(DynamoDBProjectionSettings.PATH)
                .createTable(table -> table.tableName(VIEWS)
                        .billingMode(BillingMode.PAY_PER_REQUEST)
                        .attributeDefinitions(AttributeDefinition.builder()
                                .attributeName(KEY)
                                .attributeType(ScalarAttributeType.S)
                                .build())
                        .keySchema(KeySchemaElement.builder()
                                .attributeName(KEY)
                                .keyType(KeyType.HASH)
                                .build()))
                .join();
    }

    /** A projection that counts the events of each entity in its item, by transactions. */
    Running countByTransactions(String name, Consumer<String> handler) {
        return start(DynamoDBProjection.exactlyOnce(
                ProjectionId.of(name, "all"),
                Optional.empty(),
                source(),
                () -> DynamoDBTransactHandler.fromFunction(envelope -> {
                    handler.accept(envelope.event());
                    Collection<TransactWriteItem> count = List.of(TransactWriteItem.builder()
                            .update(update -> update.tableName(VIEWS)
                                    .key(key(name, envelope.persistenceId()))
                                    .updateExpression("ADD events :one")
                                    .expressionAttributeValues(Map.of(":one", AttributeValue.fromN("1"))))
                            .build());
                    return CompletableFuture.completedFuture(count);
                }),
                bench.system()));
    }

    /** The same as a view; the consumer hears of an event when it is stored. */
    Running view(String name, Consumer<String> stored) {
        return view(name, DynamoDBProjectionSettings.create(bench.system()), stored);
    }

    /** The same when it is far behind. */
    Running rebuild(String name, Consumer<String> stored) {
        Config behind = ConfigFactory.parseString("view.read-ahead-after = 1 ms")
                .withFallback(bench.system().settings().config().getConfig(DynamoDBProjectionSettings.PATH));
        return view(name, DynamoDBProjectionSettings.create(behind), stored);
    }

    /** The number of events. */
    record Count(long events) {}

    private static final class Counting extends ViewHandler<Count, String> {
        @Override
        public Count emptyState() {
            return new Count(0);
        }

        @Override
        public Count apply(Count state, EventEnvelope<String> envelope) {
            return new Count(state.events() + 1);
        }
    }

    private Running view(String name, DynamoDBProjectionSettings settings, Consumer<String> stored) {
        return start(DynamoDBProjection.view(
                        ProjectionId.of(name, "all"),
                        Optional.of(settings),
                        source(),
                        ItemTable.of(VIEWS, persistenceId -> key(name, persistenceId)),
                        JacksonItemCodec.of(Count.class),
                        Counting::new,
                        bench.system())
                .withStatusObserver(new StoredEvents(stored)));
    }

    private static Map<String, AttributeValue> key(String name, String persistenceId) {
        return Map.of(KEY, AttributeValue.fromS(name + " " + persistenceId));
    }

    /** Several projections at once. */
    Running all(int number, IntFunction<Running> start) {
        return new Running(IntStream.range(0, number)
                .mapToObj(start)
                .flatMap(running -> running.actors().stream())
                .toList());
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
        return new Running(List.of(bench.system()
                .systemActorOf(
                        ProjectionBehavior.create(projection),
                        "projection-" + NUMBERS.incrementAndGet(),
                        Props.empty())));
    }
}
