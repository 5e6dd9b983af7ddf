package io.varve.observe.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.search.RequiredSearch;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.varve.persistence.VarveTables;
import io.varve.projection.DynamoDBProjectionSettings;
import io.varve.projection.OnFailure;
import io.varve.projection.javadsl.DynamoDBProjection;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import io.varve.projection.javadsl.StoredProjection;
import io.varve.store.Slices;
import io.varve.store.StoreObserver;
import io.varve.store.table.TableDefinition;
import io.varve.store.table.TableOptions;
import io.varve.store.table.Tables;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.FaultRule;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import io.varve.testkit.ThrottleCode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.pekko.Done;
import org.apache.pekko.actor.Cancellable;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.javadsl.Handler;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The meters of a system that stores events, is throttled, and projects. */
class MetricsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final TableNames TABLES = TableNames.fresh();
    private static final MeterRegistry REGISTRY = new SimpleMeterRegistry();
    private static FaultProxy proxy;
    private static ActorTestKit kit;

    @BeforeAll
    static void start() {
        proxy = FaultProxy.start(DynamoDBLocal.shared().endpoint());
        Config config = ConfigFactory.parseString("""
                pekko {
                  persistence.journal.plugin = "dynamodb-journal"
                  persistence.snapshot-store.plugin = "pekko.persistence.no-snapshot-store"
                  persistence.dynamodb.client.local { enabled = on, host = "%s", port = %d }
                  coordinated-shutdown.run-by-jvm-shutdown-hook = off
                  projection.dynamodb.use-client = impatient
                  projection.dynamodb.offset-store.retries { min-backoff = 1 ms, max-backoff = 10 ms }
                  projection.dynamodb.offset-store.timestamp-offset-table = "%s"
                  projection.dynamodb.offset-store.slice-flush-interval = 100 ms
                  projection.at-least-once.save-offset-after-duration = 50 ms
                  projection.restart-backoff { min-backoff = 50 ms, max-backoff = 100 ms }
                }
                impatient = ${pekko.persistence.dynamodb.client}
                impatient { operation-timeout = 1 s, request-timeout = 500 ms }
                dynamodb-journal.journal-table = "%s"
                dynamodb-read-journal.refresh-interval = 300 ms
                """.formatted(
                        proxy.endpoint().getHost(), proxy.endpoint().getPort(), TABLES.offsets(), TABLES.journal()));
        kit = ActorTestKit.create(
                "metrics", config.withFallback(ConfigFactory.load()).resolve());
        createTables();
        DynamoDBMetrics.bind(kit.system(), REGISTRY);
        ProjectionMetrics.bind(kit.system(), REGISTRY);
    }

    @AfterAll
    static void stop() {
        kit.shutdownTestKit();
        proxy.close();
    }

    private static void createTables() {
        for (TableDefinition table : List.of(Tables.journal(TABLES.journal()), Tables.offsets(TABLES.offsets()))) {
            VarveTables.create(kit.system(), table, TableOptions.DEFAULT)
                    .toCompletableFuture()
                    .join();
        }
    }

    private record Store(String event, ActorRef<Done> replyTo) {}

    private static final class Entity extends EventSourcedBehavior<Store, String, String> {
        Entity(String id) {
            super(PersistenceId.ofUniqueId(id));
        }

        @Override
        public String emptyState() {
            return "";
        }

        @Override
        public CommandHandler<Store, String, String> commandHandler() {
            return (state, command) ->
                    Effect().persist(command.event()).thenReply(command.replyTo(), stored -> Done.getInstance());
        }

        @Override
        public EventHandler<String, String> eventHandler() {
            return (state, event) -> event;
        }
    }

    private static void persist(String id, String... events) {
        TestProbe<Done> stored = kit.createTestProbe();
        ActorRef<Store> entity = kit.spawn(new Entity(id));
        for (String event : events) {
            entity.tell(new Store(event, stored.ref()));
            stored.expectMessage(PATIENCE, Done.getInstance());
        }
        kit.stop(entity);
    }

    private static double counted(String counter) {
        return REGISTRY.get(counter)
                .tags("operation", "PutItem", "table", TABLES.journal())
                .counter()
                .count();
    }

    private static long puts(String outcome) {
        return REGISTRY
                .find("varve.dynamodb.requests")
                .tags("operation", "PutItem", "table", TABLES.journal(), "outcome", outcome)
                .timers()
                .stream()
                .mapToLong(Timer::count)
                .sum();
    }

    @Test
    void forgottenEntities_areCounted() {
        MeterRegistry registry = new SimpleMeterRegistry();
        new DynamoDBMetrics(registry).forgotten(new StoreObserver.Forgotten("my-table", "cart", 3));
        assertThat(registry.get("varve.query.forgotten.entities")
                        .tag("table", "my-table")
                        .counter()
                        .count())
                .isEqualTo(3);
    }

    @Test
    void requests_areCounted_withRetriesAndCapacity() {
        persist("requests|a", "1");
        long stored = puts("success");
        double items = counted("varve.dynamodb.items");
        double capacity = counted("varve.dynamodb.capacity");
        proxy.on(
                RequestMatch.operation("PutItem").table(TABLES.journal()).times(1),
                Fault.throttle(ThrottleCode.PROVISIONED_THROUGHPUT_EXCEEDED));
        persist("requests|b", "1", "2");
        assertThat(puts("success") - stored).isEqualTo(2);
        assertThat(puts("throttled")).isEqualTo(1);
        assertThat(counted("varve.dynamodb.retries")).isEqualTo(1);
        assertThat(counted("varve.dynamodb.items") - items).isEqualTo(3);
        assertThat(counted("varve.dynamodb.capacity") - capacity)
                .isEqualTo(5); // two items, their entries in slice-idx, that of the entity in pid-idx
    }

    private static RequiredSearch projection(String meter) {
        return REGISTRY.get(meter).tags("projection", "metered", "key", "all");
    }

    @Test
    void projections_showTheirProgressWhileTheyRun() {
        AtomicBoolean failed = new AtomicBoolean();
        Instant before = Instant.now();
        persist("metered|a", "1", "2", "3");
        ActorRef<ProjectionBehavior.Command> running =
                kit.spawn(ProjectionBehavior.create(DynamoDBProjection.<EventEnvelope<String>>atLeastOnce(
                        ProjectionId.of("metered", "all"),
                        Optional.empty(),
                        DynamoDBSourceProvider.eventsBySlices(kit.system(), "metered", 0, 1023),
                        () -> Handler.fromFunction(envelope -> {
                            if (!failed.getAndSet(true)) {
                                throw new IllegalStateException("once");
                            }
                            return CompletableFuture.completedFuture(Done.getInstance());
                        }),
                        kit.system())));
        await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> {
            assertThat(projection("varve.projection.lag").gauge().value()).isZero();
            assertThat(projection("varve.projection.processed").counter().count())
                    .isEqualTo(3);
        });
        assertThat(projection("varve.projection.position").gauge().value())
                .isGreaterThanOrEqualTo((double) before.getEpochSecond());
        assertThat(projection("varve.projection.handler.failures").counter().count())
                .isEqualTo(1);
        assertThat(projection("varve.projection.failures").counter().count()).isEqualTo(1);

        FaultRule throttled = proxy.on(
                RequestMatch.operation("BatchWriteItem").table(TABLES.offsets()),
                Fault.throttle(ThrottleCode.PROVISIONED_THROUGHPUT_EXCEEDED));
        persist("metered|a", "4");
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(
                                projection("varve.projection.outages").counter().count())
                        .isPositive());
        throttled.remove();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(projection("varve.projection.processed")
                                .counter()
                                .count())
                        .isEqualTo(4));
        assertThat(projection("varve.projection.failures").counter().count()).isEqualTo(1);

        TestProbe<Object> probe = kit.createTestProbe();
        running.tell(ProjectionBehavior.stopMessage());
        probe.expectTerminated(running, PATIENCE);
        assertThat(REGISTRY.find("varve.projection.position").gauges()).isEmpty();
        assertThat(REGISTRY.find("varve.projection.lag").gauges()).isEmpty();
    }

    private static double backlog(String meter, int instance) {
        return REGISTRY.get(meter)
                .tags("projection", "waiting", "instance", instance + "/2")
                .gauge()
                .value();
    }

    @Test
    void backlog_isShownOfAProjectionThatDoesNotRun_andUnknownWhenItCannotBeRead() {
        persist("waiting|a", "1", "2");
        int instance = Slices.of("waiting|a") / 512;
        Cancellable looking = BacklogMetrics.bind(
                kit.system(),
                REGISTRY,
                StoredProjection.of(kit.system(), "waiting", "waiting"),
                2,
                Duration.ofMillis(50));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(backlog("varve.projection.backlog", instance))
                        .isEqualTo(2));
        assertThat(backlog("varve.projection.backlog.age", instance)).isPositive();
        assertThat(backlog("varve.projection.backlog", 1 - instance)).isZero();
        assertThat(backlog("varve.projection.backlog.age", 1 - instance)).isZero();
        FaultRule missing = proxy.on(
                RequestMatch.operation("Query").index("slice-idx"),
                Fault.error(400, "ResourceNotFoundException", "a test"));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(backlog("varve.projection.backlog", instance))
                        .isNaN());
        missing.remove();
        looking.cancel();
    }

    @Test
    void parkedEntities_areCounted() {
        persist("parking|a", "1");
        ActorRef<ProjectionBehavior.Command> running =
                kit.spawn(ProjectionBehavior.create(DynamoDBProjection.<EventEnvelope<String>>atLeastOnce(
                        ProjectionId.of("parking", "all"),
                        Optional.of(
                                DynamoDBProjectionSettings.create(kit.system()).withOnFailure(OnFailure.PARK)),
                        DynamoDBSourceProvider.eventsBySlices(kit.system(), "parking", 0, 1023),
                        () -> Handler.fromFunction(envelope -> {
                            throw new IllegalStateException("poisoned");
                        }),
                        kit.system())));
        await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> {
            assertThat(REGISTRY.get("varve.projection.parked")
                            .tags("projection", "parking")
                            .counter()
                            .count())
                    .isEqualTo(1);
            assertThat(REGISTRY.get("varve.projection.parked.entities")
                            .tags("projection", "parking")
                            .gauge()
                            .value())
                    .isEqualTo(1);
        });
        TestProbe<Object> probe = kit.createTestProbe();
        running.tell(ProjectionBehavior.stopMessage());
        probe.expectTerminated(running, PATIENCE);
        assertThat(REGISTRY.find("varve.projection.parked.entities")
                        .tags("projection", "parking")
                        .gauges())
                .isEmpty();
    }
}
