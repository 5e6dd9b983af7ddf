package io.varve.projection;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.store.Slices;
import io.varve.store.StoreObserver;
import io.varve.store.internal.client.ClientSettings;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.client.GatewaySettings;
import io.varve.store.table.TableDefinition;
import io.varve.store.table.TableOptions;
import io.varve.store.table.Tables;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.TableNames;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.pekko.Done;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;
import org.apache.pekko.projection.Projection;
import org.apache.pekko.projection.ProjectionBehavior;
import org.awaitility.Awaitility;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** An actor system with a journal, an offset table and a table for handlers, all of its own. */
final class TestSystem implements AutoCloseable {
    /** Few, because each is polled by each query. */
    static final int SHARDS = 4;

    /** Long enough for a machine that is busy with other builds. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    static {
        Awaitility.setDefaultTimeout(PATIENCE);
    }

    private final ActorTestKit kit;
    private final DynamoDbAsyncClient client;
    private final String journal;
    private final String offsets;
    private final String target;

    TestSystem(String more) {
        this(DynamoDBLocal.shared().endpoint(), more);
    }

    /** One whose requests go to that endpoint. */
    TestSystem(URI endpoint, String more) {
        this(
                endpoint,
                TableNames.fresh().journal(),
                "offsets-" + UUID.randomUUID(),
                "target-" + UUID.randomUUID(),
                more);
    }

    TestSystem(URI endpoint, String journal, String offsets, String target, String more) {
        this.client = DynamoDBLocal.shared().client();
        this.journal = journal;
        this.offsets = offsets;
        this.target = target;
        createTables(client, journal, offsets, target);
        Config config = ConfigFactory.parseString(more)
                .withFallback(ConfigFactory.parseString(
                        """
                        pekko {
                          loglevel = WARNING
                          persistence.journal.plugin = "dynamodb-journal"
                          persistence.snapshot-store.plugin = "pekko.persistence.no-snapshot-store"
                          persistence.dynamodb.client.local { enabled = on, host = "%s", port = %d }
                          coordinated-shutdown.run-by-jvm-shutdown-hook = off
                          projection.dynamodb.offset-store.timestamp-offset-table = "%s"
                          projection.dynamodb.offset-store.slice-flush-interval = 100 ms
                          projection.at-least-once.save-offset-after-duration = 50 ms
                          projection.grouped.group-after-duration = 50 ms
                          projection.restart-backoff { min-backoff = 50 ms, max-backoff = 100 ms }
                        }
                        dynamodb-journal.journal-table = "%s"
                        dynamodb-journal.circuit-breaker.call-timeout = 30 s
                        dynamodb-journal.slice-index.shards = %d
                        dynamodb-read-journal.refresh-interval = 300 ms
                        """.formatted(endpoint.getHost(), endpoint.getPort(), offsets, journal, SHARDS)))
                .withFallback(ConfigFactory.load())
                .resolve();
        this.kit = ActorTestKit.create("projection", config);
    }

    static void createTables(DynamoDbAsyncClient client, String journal, String offsets, String target) {
        create(client, Tables.journal(journal));
        create(client, Tables.offsets(offsets));
        createTarget(client, target);
    }

    private static void create(DynamoDbAsyncClient client, TableDefinition table) {
        Config settings = ConfigFactory.defaultReference().getConfig(ClientSettings.PATH);
        Gateway gateway = new Gateway(
                client, GatewaySettings.from(settings, ClientSettings.PATH), StoreObserver.NONE, Runnable::run);
        new io.varve.store.internal.table.TableCreator(gateway, Duration.ofSeconds(30))
                .create(table, TableOptions.DEFAULT)
                .toCompletableFuture()
                .join();
    }

    private static void createTarget(DynamoDbAsyncClient client, String target) {
        client.createTable(request -> request.tableName(target)
                        .billingMode(BillingMode.PAY_PER_REQUEST)
                        .keySchema(KeySchemaElement.builder()
                                .attributeName("id")
                                .keyType(KeyType.HASH)
                                .build())
                        .attributeDefinitions(AttributeDefinition.builder()
                                .attributeName("id")
                                .attributeType(ScalarAttributeType.S)
                                .build()))
                .join();
    }

    ActorSystem<?> system() {
        return kit.system();
    }

    ActorTestKit kit() {
        return kit;
    }

    DynamoDbAsyncClient client() {
        return client;
    }

    String journal() {
        return journal;
    }

    String offsets() {
        return offsets;
    }

    String target() {
        return target;
    }

    /** An event to be stored by an entity. */
    record Store(String event, ActorRef<Done> replyTo) {}

    /** Stores events of an entity, and waits until they are. */
    void persist(String persistenceId, String... events) {
        ActorRef<Store> entity = kit.spawn(behavior(persistenceId));
        TestProbe<Done> probe = kit.createTestProbe();
        for (String event : events) {
            entity.tell(new Store(event, probe.ref()));
            probe.expectMessage(PATIENCE, Done.getInstance());
        }
        kit.stop(entity);
    }

    /** Stores the events {@code 1}, {@code 2}, … */
    void persistNumbers(String persistenceId, int first, int last) {
        persist(
                persistenceId,
                IntStream.rangeClosed(first, last).mapToObj(Integer::toString).toArray(String[]::new));
    }

    private static org.apache.pekko.actor.typed.Behavior<Store> behavior(String persistenceId) {
        return new EventSourcedBehavior<Store, String, List<String>>(PersistenceId.ofUniqueId(persistenceId)) {
            @Override
            public List<String> emptyState() {
                return List.of();
            }

            @Override
            public CommandHandler<Store, String, List<String>> commandHandler() {
                return (state, command) ->
                        Effect().persist(command.event()).thenReply(command.replyTo(), ignored -> Done.getInstance());
            }

            @Override
            public EventHandler<List<String>, String> eventHandler() {
                return (state, event) -> state;
            }
        };
    }

    ActorRef<ProjectionBehavior.Command> start(Projection<?> projection) {
        return kit.spawn(ProjectionBehavior.create(projection));
    }

    void stop(ActorRef<ProjectionBehavior.Command> projection) {
        projection.tell(ProjectionBehavior.stopMessage());
        kit.createTestProbe().expectTerminated(projection, PATIENCE);
    }

    /** The number in the row of an entity; 0 if there is none. */
    long stored(String projection, String persistenceId) {
        AttributeValue number = client.getItem(get -> get.tableName(offsets)
                        .consistentRead(true)
                        .key(Map.of(
                                "name_slice", AttributeValue.fromS(projection + "-" + Slices.of(persistenceId)),
                                "pid", AttributeValue.fromS(persistenceId))))
                .join()
                .item()
                .get("seq_nr");
        return number == null ? 0 : Long.parseLong(number.n());
    }

    @Override
    public void close() {
        kit.shutdownTestKit();
        client.close();
    }
}
