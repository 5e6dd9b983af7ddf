package io.varve.projection;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.projection.internal.delivery.DeliveryModes;
import io.varve.projection.internal.delivery.ProjectionParts;
import io.varve.projection.internal.event.ProjectionSource;
import io.varve.projection.internal.pekko.PekkoSettings;
import io.varve.projection.internal.retry.OutageRetries;
import io.varve.projection.internal.retry.StopSignal;
import io.varve.projection.internal.settings.OffsetStoreSettings;
import io.varve.projection.internal.settings.ProjectionOptions;
import io.varve.projection.internal.stream.ProjectionStream;
import io.varve.store.StoreObserver;
import io.varve.store.internal.async.Backoff;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.GatewaySettings;
import io.varve.store.internal.offset.OffsetSettings;
import io.varve.store.internal.offset.OffsetTable;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.FaultProxy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.HandlerRecoveryStrategy;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.javadsl.Handler;
import org.apache.pekko.stream.javadsl.Sink;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** Runs streams of projections by hand, with their requests to the offset table through a proxy. */
final class TestBench implements AutoCloseable {
    static final Duration LONG = Duration.ofHours(1);

    private final TestSystem test = new TestSystem(
            "pekko.projection.dynamodb.offset-store.retries { max-retries = 1, min-backoff = 1 ms, max-backoff = 5 ms }");
    private final FaultProxy proxy = FaultProxy.start(DynamoDBLocal.shared().endpoint());
    private final DynamoDbAsyncClient client = proxy.client();

    ActorSystem<?> system() {
        return test.system();
    }

    TestSystem test() {
        return test;
    }

    FaultProxy proxy() {
        return proxy;
    }

    String offsets() {
        return test.offsets();
    }

    /** A name that no other test uses. */
    static String freshName() {
        return "p-" + UUID.randomUUID();
    }

    /** The offsets of a projection, through the proxy. */
    OffsetTable table(String projection) {
        return table(client, projection, Duration.ofSeconds(30));
    }

    /** The same of an entity type. */
    OffsetTable table(String projection, String entityType) {
        return new OffsetTable(
                gateway(client, Duration.ofSeconds(30)),
                test.offsets(),
                projection,
                OffsetSettings.DEFAULT.withEntityType(entityType),
                InstantSource.system());
    }

    /** The same without the proxy. */
    OffsetTable directTable(String projection) {
        return table(test.client(), projection, Duration.ofSeconds(30));
    }

    /** The same in the table of another system. */
    OffsetTable tableOf(TestSystem other, String projection) {
        return new OffsetTable(
                gateway(other.client(), Duration.ofSeconds(30)),
                other.offsets(),
                projection,
                OffsetSettings.DEFAULT,
                InstantSource.system());
    }

    OffsetTable table(DynamoDbAsyncClient through, String projection, Duration patience) {
        return table(through, projection, patience, OffsetSettings.DEFAULT);
    }

    OffsetTable table(DynamoDbAsyncClient through, String projection, Duration patience, OffsetSettings settings) {
        return new OffsetTable(
                gateway(through, patience), test.offsets(), projection, settings, InstantSource.system());
    }

    OffsetTable expiring(String projection, Duration timeToLive, InstantSource clock) {
        return new OffsetTable(
                gateway(client, Duration.ofSeconds(30)),
                test.offsets(),
                projection,
                OffsetSettings.DEFAULT.withTimeToLive(timeToLive),
                clock);
    }

    OffsetTable resetting(String projection, Duration acceptResetAfter) {
        return new OffsetTable(
                gateway(client, Duration.ofSeconds(30)),
                test.offsets(),
                projection,
                OffsetSettings.DEFAULT.withAcceptResetAfter(acceptResetAfter),
                InstantSource.system());
    }

    Gateway gateway(DynamoDbAsyncClient through, Duration patience) {
        GatewaySettings settings = new GatewaySettings(
                patience,
                Duration.ofSeconds(30),
                new Backoff(Duration.ofMillis(1), Duration.ofMillis(20), 0.5),
                4,
                Optional.empty());
        return new Gateway(through, settings, StoreObserver.NONE, test.system().executionContext());
    }

    /** What settings say. */
    static OffsetStoreSettings values(DynamoDBProjectionSettings settings) {
        return OffsetStoreSettings.from(settings.config(), settings.path());
    }

    /** The settings with some others. */
    UnaryOperator<DynamoDBProjectionSettings> with(String others) {
        Config config = ConfigFactory.parseString(others)
                .withFallback(system().settings().config());
        return settings -> DynamoDBProjectionSettings.create(config.getConfig(DynamoDBProjectionSettings.PATH));
    }

    DynamoDbAsyncClient client() {
        return client;
    }

    /** What the settings say with some others. */
    OffsetStoreSettings values(String others) {
        Config config = system().settings().config();
        return values(DynamoDBProjectionSettings.create(
                ConfigFactory.parseString(others).withFallback(config).getConfig(DynamoDBProjectionSettings.PATH)));
    }

    /** Does something later, as streams do. */
    OutageRetries.Timer timer() {
        return (delay, action) -> system().scheduler().scheduleOnce(delay, action, system().executionContext())::cancel;
    }

    /** Waits as little as the settings allow. */
    OutageRetries outages(String projection) {
        return new OutageRetries(
                ProjectionId.of(projection, "0"),
                values(DynamoDBProjectionSettings.create(system())).retries(),
                ProgressObservers.get(system()),
                timer(),
                InstantSource.system(),
                new StopSignal());
    }

    /** How a stream is run: what is grouped and saved together, and what happens on failures. */
    record How(
            UnaryOperator<DynamoDBProjectionSettings> settings,
            HandlerRecoveryStrategy recovery,
            int saveSize,
            int groupSize) {
        static How plain() {
            return new How(settings -> settings.withSliceFlushInterval(LONG), HandlerRecoveryStrategy.fail(), 25, 20);
        }

        How groups(int size) {
            return new How(settings, recovery, saveSize, size);
        }

        How saves(int size) {
            return new How(settings, recovery, size, groupSize);
        }

        How recovering(HandlerRecoveryStrategy other) {
            return new How(settings, other, saveSize, groupSize);
        }
    }

    /** Runs a stream to its end; its places are only stored then. */
    CompletionStage<Done> run(
            String projection,
            TestEvents events,
            DeliveryModes<EventEnvelope<String>> modes,
            OffsetTable table,
            How how) {
        return start(projection, events, modes, table, how).end();
    }

    /** A stream that runs, and its end. */
    record Started(ProjectionStream<EventEnvelope<String>> stream, CompletionStage<Done> end) {}

    /** As {@link #run}, for streams that are stopped before their end. */
    Started start(
            String projection,
            TestEvents events,
            DeliveryModes<EventEnvelope<String>> modes,
            OffsetTable table,
            How how) {
        ProjectionId id = ProjectionId.of(projection, "0");
        OffsetStoreSettings settings = values(how.settings().apply(DynamoDBProjectionSettings.create(system())));
        ProjectionOptions<EventEnvelope<String>> options = PekkoSettings.<EventEnvelope<String>>options(id, system())
                .withRecoveryStrategy(how.recovery())
                .withSave(how.saveSize(), LONG)
                .withGroup(how.groupSize(), LONG);
        ProjectionParts<EventEnvelope<String>> parts =
                new ProjectionParts<>(ProjectionSource.of(id, events), table, settings, InstantSource.system());
        ProjectionStream<EventEnvelope<String>> stream = new ProjectionStream<>(options, parts, system());
        return new Started(
                stream,
                stream.source(modes.run(options, parts, system()), CompletableFuture.completedFuture(null))
                        .to(Sink.ignore())
                        .run(system()));
    }

    static <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    /** Appends the events of each entity to its list in the target table, one item for each entity. */
    List<TransactWriteItem> changes(String projection, Collection<EventEnvelope<String>> events) {
        Map<String, List<AttributeValue>> byEntity = new LinkedHashMap<>();
        events.forEach(event -> byEntity.computeIfAbsent(event.persistenceId(), id -> new ArrayList<>())
                .add(AttributeValue.fromN(event.getEvent())));
        List<TransactWriteItem> items = new ArrayList<>();
        byEntity.forEach((id, numbers) -> items.add(TransactWriteItem.builder()
                .update(update -> update.tableName(test.target())
                        .key(Map.of("id", AttributeValue.fromS(projection + " " + id)))
                        .updateExpression("SET events = list_append(if_not_exists(events, :none), :more)")
                        .expressionAttributeValues(Map.of(
                                ":none", AttributeValue.fromL(List.of()), ":more", AttributeValue.fromL(numbers))))
                .build()));
        return items;
    }

    /** The events of an entity that were applied, in the order in which they were. */
    List<Long> applied(String projection, String persistenceId) {
        AttributeValue events = test.client()
                .getItem(get -> get.tableName(test.target())
                        .key(Map.of("id", AttributeValue.fromS(projection + " " + persistenceId)))
                        .consistentRead(true))
                .join()
                .item()
                .get("events");
        return events == null
                ? List.of()
                : events.l().stream().map(number -> Long.valueOf(number.n())).toList();
    }

    static DeliveryModes<EventEnvelope<String>> transacting(
            Function<EventEnvelope<String>, CompletionStage<Collection<TransactWriteItem>>> handler, int parallelism) {
        DeliveryModes<EventEnvelope<String>> modes =
                DeliveryModes.exactlyOnce(() -> DynamoDBTransactHandler.fromFunction(handler));
        return (options, parts, system) -> modes.run(options, with(parts, parallelism, OptionalInt.empty()), system);
    }

    /** With group commit. */
    static DeliveryModes<EventEnvelope<String>> committing(
            Function<EventEnvelope<String>, CompletionStage<Collection<TransactWriteItem>>> handler,
            int parallelism,
            int mostEvents) {
        DeliveryModes<EventEnvelope<String>> modes =
                DeliveryModes.exactlyOnce(() -> DynamoDBTransactHandler.fromFunction(handler));
        return (options, parts, system) ->
                modes.run(options, with(parts, parallelism, OptionalInt.of(mostEvents)), system);
    }

    private static ProjectionParts<EventEnvelope<String>> with(
            ProjectionParts<EventEnvelope<String>> parts, int parallelism, OptionalInt groupCommit) {
        OffsetStoreSettings settings = parts.settings();
        return new ProjectionParts<>(
                parts.source(),
                parts.table(),
                new OffsetStoreSettings(
                        settings.table(),
                        settings.timeWindow(),
                        settings.maxEntities(),
                        settings.sliceFlushInterval(),
                        settings.batchSize(),
                        settings.retries(),
                        settings.replayMissing(),
                        settings.acceptResetAfter(),
                        parallelism,
                        groupCommit,
                        settings.view(),
                        settings.timeToLive(),
                        settings.parking()),
                parts.clock());
    }

    static DeliveryModes<EventEnvelope<String>> transactingGroups(
            Function<List<EventEnvelope<String>>, CompletionStage<Collection<TransactWriteItem>>> handler) {
        return DeliveryModes.exactlyOnceGrouped(() -> DynamoDBTransactHandler.fromFunction(handler));
    }

    DeliveryModes<EventEnvelope<String>> exactlyOnce(String projection, int parallelism) {
        return transacting(
                event -> CompletableFuture.completedFuture(changes(projection, List.of(event))), parallelism);
    }

    DeliveryModes<EventEnvelope<String>> groupCommit(String projection, int parallelism, int mostEvents) {
        return committing(
                event -> CompletableFuture.completedFuture(changes(projection, List.of(event))),
                parallelism,
                mostEvents);
    }

    DeliveryModes<EventEnvelope<String>> exactlyOnceGrouped(String projection) {
        return transactingGroups(events -> CompletableFuture.completedFuture(changes(projection, events)));
    }

    /** Handlers that note what they were given. */
    static final class Notes {
        private final List<String> handled;

        Notes() {
            this(Collections.synchronizedList(new ArrayList<>()));
        }

        Notes(List<String> handled) {
            this.handled = handled;
        }

        List<String> handled() {
            return List.copyOf(handled);
        }

        private CompletionStage<Done> note(Collection<EventEnvelope<String>> events) {
            events.forEach(event -> handled.add(event.persistenceId() + " " + event.sequenceNr()));
            return CompletableFuture.completedFuture(Done.getInstance());
        }

        DeliveryModes<EventEnvelope<String>> atLeastOnce() {
            return DeliveryModes.atLeastOnce(() -> Handler.fromFunction(event -> note(List.of(event))));
        }

        DeliveryModes<EventEnvelope<String>> atLeastOnceGrouped() {
            return DeliveryModes.atLeastOnceGrouped(() -> Handler.fromFunction(this::note));
        }
    }

    @Override
    public void close() {
        client.close();
        proxy.close();
        test.close();
    }
}
