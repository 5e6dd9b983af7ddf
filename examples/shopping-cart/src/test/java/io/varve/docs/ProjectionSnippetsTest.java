package io.varve.docs;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.docs.ProjectionSnippets.MailsOverAConnection;
import io.varve.example.shoppingcart.Event;
import io.varve.example.shoppingcart.ShoppingCart;
import io.varve.persistence.DynamoDBClients;
import io.varve.projection.DynamoDBProjectionSettings;
import io.varve.projection.ProgressObservers;
import io.varve.projection.javadsl.CreateTables;
import io.varve.projection.javadsl.DynamoDBProjection;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import io.varve.projection.javadsl.StoredProjection;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.TableNames;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.apache.pekko.Done;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.SpawnProtocol;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.Join;
import org.apache.pekko.management.HealthCheckSettings;
import org.apache.pekko.management.javadsl.HealthChecks;
import org.apache.pekko.pattern.Patterns;
import org.apache.pekko.pattern.StatusReply;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.Projection;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.javadsl.Handler;
import org.apache.pekko.projection.javadsl.ProjectionManagement;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.apache.pekko.projection.testkit.javadsl.ProjectionTestKit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** Runs the code of the guide to projections. */
@DynamoDBTest
class ProjectionSnippetsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ActorSystem<SpawnProtocol.Command> system;
    private final DynamoDbAsyncClient client;
    private final TableNames names;
    private final String popular = "popular-" + UUID.randomUUID();
    private final String orders = "orders-" + UUID.randomUUID();
    private final String views = "views-" + UUID.randomUUID();
    private final String counts = "counts-" + UUID.randomUUID();
    private final List<ActorRef<ProjectionBehavior.Command>> running = new ArrayList<>();
    private final List<String> mails = new CopyOnWriteArrayList<>();

    ProjectionSnippetsTest(DynamoDBLocal dynamoDB, DynamoDbAsyncClient client, TableNames names, TestInfo test) {
        this.client = client;
        this.names = names;
        Config config = ConfigFactory.parseMap(Map.of(
                        "pekko.persistence.dynamodb.client.local.enabled",
                        true,
                        "pekko.persistence.dynamodb.client.local.host",
                        dynamoDB.endpoint().getHost(),
                        "pekko.persistence.dynamodb.client.local.port",
                        dynamoDB.endpoint().getPort(),
                        "dynamodb-journal.journal-table",
                        names.journal(),
                        "dynamodb-snapshot-store.snapshot-table",
                        names.snapshots(),
                        "pekko.projection.dynamodb.offset-store.timestamp-offset-table",
                        names.offsets()))
                .withFallback(ConfigFactory.parseString(
                        """
                        pekko.actor.provider = %s
                        pekko.remote.artery.canonical { hostname = "127.0.0.1", port = 0 }
                        pekko.cluster.jmx.enabled = off
                        pekko.coordinated-shutdown.run-by-jvm-shutdown-hook = off
                        pekko.projection.restart-backoff { min-backoff = 100 ms, max-backoff = 500 ms }
                        pekko.projection.dynamodb.offset-store.slice-flush-interval = 100 ms
                        dynamodb-journal.slice-index.shards = 4
                        dynamodb-read-journal.refresh-interval = 500 ms
                        """.formatted(test.getTags().contains("cluster") ? "cluster" : "local")))
                .withFallback(Docs.blocks("docs/guide/projections.md", "hocon").stream()
                        .map(ConfigFactory::parseString)
                        .reduce(ConfigFactory.empty(), Config::withFallback))
                .withFallback(ConfigFactory.load())
                .resolve();
        this.system = ActorSystem.create(SpawnProtocol.create(), "projections", config);
    }

    @BeforeEach
    void createTables() {
        assertThat(GuideSnippets.createTables(system)).isEmpty();
        result(ProjectionSnippets.createOffsetTable(system));
        createTable(popular, "item");
        createTable(orders, "id");
    }

    private void createTable(String table, String key) {
        client.createTable(request -> request.tableName(table)
                        .billingMode(BillingMode.PAY_PER_REQUEST)
                        .keySchema(KeySchemaElement.builder()
                                .attributeName(key)
                                .keyType(KeyType.HASH)
                                .build())
                        .attributeDefinitions(AttributeDefinition.builder()
                                .attributeName(key)
                                .attributeType(ScalarAttributeType.S)
                                .build()))
                .join();
    }

    @AfterEach
    void end() {
        running.forEach(projection -> result(
                Patterns.gracefulStop(Adapter.toClassic(projection), PATIENCE, ProjectionBehavior.stopMessage())));
        system.terminate();
        system.getWhenTerminated().toCompletableFuture().join();
    }

    private static <T> T result(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    private <T> ActorRef<T> spawn(Behavior<T> behavior) {
        return result(AskPattern.ask(
                system,
                (ActorRef<ActorRef<T>> replyTo) -> new SpawnProtocol.Spawn<>(behavior, "", Props.empty(), replyTo),
                PATIENCE,
                system.scheduler()));
    }

    private ActorRef<ProjectionBehavior.Command> start(Projection<?> projection) {
        ActorRef<ProjectionBehavior.Command> started = spawn(ProjectionBehavior.create(projection));
        running.add(started);
        return started;
    }

    /** Two apples, a pear, an order; three apples. */
    private void shop(String id) {
        ActorRef<ShoppingCart.Command> cart = spawn(ShoppingCart.create(id));
        ask(cart, replyTo -> new ShoppingCart.AddItem("apple", 2, replyTo));
        ask(cart, replyTo -> new ShoppingCart.AddItem("pear", 1, replyTo));
        ask(cart, ShoppingCart.CheckOut::new);
        ask(cart, replyTo -> new ShoppingCart.AddItem("apple", 3, replyTo));
    }

    private void ask(
            ActorRef<ShoppingCart.Command> cart,
            org.apache.pekko.japi.function.Function<ActorRef<StatusReply<ShoppingCart.Answer>>, ShoppingCart.Command>
                    command) {
        result(AskPattern.askWithStatus(cart, command, PATIENCE, system.scheduler()));
    }

    private SourceProvider<Offset, EventEnvelope<Event>> carts() {
        return DynamoDBSourceProvider.eventsBySlices(system, "ShoppingCart", 0, 1023);
    }

    private CompletionStage<Done> send(String id, String text) {
        mails.add(id + ": " + text);
        return CompletableFuture.completedFuture(Done.getInstance());
    }

    private Map<String, String> read(String table, String key, String attribute) {
        return client.scan(scan -> scan.tableName(table).consistentRead(true)).join().items().stream()
                .collect(Collectors.toMap(
                        item -> requireNonNull(item.get(key)).s(),
                        item -> requireNonNull(item.get(attribute)).n()));
    }

    private void awaitPopular(Map<String, String> expected) {
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(read(popular, "item", "quantity")).isEqualTo(expected));
    }

    @Test
    @Tag("cluster")
    void popularItems_areCountedOnce_onACluster() {
        Cluster cluster = Cluster.get(system);
        cluster.manager().tell(Join.create(cluster.selfMember().address()));
        ProjectionSnippets.distribute(system, popular);
        shop("1");
        shop("2");
        awaitPopular(Map.of("apple", "10", "pear", "2"));
    }

    @Test
    void popularItems_areTested() {
        shop("1");
        // projections.md
        ProjectionTestKit testKit = ProjectionTestKit.create(system);
        testKit.run(
                ProjectionSnippets.popularItems(system, popular, 0, 1023),
                Duration.ofSeconds(20),
                () -> assertThat(read(popular, "item", "quantity")).containsEntry("apple", "5"));
        // end
        awaitPopular(Map.of("apple", "5", "pear", "1"));
    }

    @Test
    void orderMails_areSentAtLeastOnce_alsoWithPekkosProvider() {
        start(ProjectionSnippets.orderMails(system, ProjectionSnippets.pekkosProvider(system), this::send));
        shop("1");
        await().atMost(PATIENCE).until(() -> mails.contains("ShoppingCart|1-1: Thank you for order 1."));
    }

    @Test
    void groups_areStored() {
        start(ProjectionSnippets.popularItemsInGroups(system, carts(), popular));
        start(ProjectionSnippets.orders(system, carts(), client, orders));
        start(ProjectionSnippets.mailsByFlow(system, carts(), this::send));
        shop("1");
        awaitPopular(Map.of("apple", "5", "pear", "1"));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(read(orders, "id", "time")).containsOnlyKeys("ShoppingCart|1-1"));
        await().atMost(PATIENCE).until(() -> mails.contains("ShoppingCart|1-1: Thank you."));
    }

    @Test
    void views_areFolded_andReadAfterOnesOwnWrite() {
        createTable(views, "cart");
        createTable(counts, "cart");
        start(ViewSnippets.cartViews(system, carts(), views));
        start(ViewSnippets.cartCounts(system, carts(), counts));
        shop("1");
        assertThat(result(ViewSnippets.readOwnWrite(system, views, "ShoppingCart|1", 4)))
                .contains(new ViewSnippets.CartView(Map.of("apple", 3), 1));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(read(counts, "cart", "events")).containsEntry("ShoppingCart|1", "4"));
    }

    private ActorRef<ProjectionBehavior.Command> start(String name, Handler<EventEnvelope<Event>> handler) {
        return start(DynamoDBProjection.atLeastOnce(
                ProjectionId.of(name, "all"), Optional.empty(), carts(), () -> handler, system));
    }

    @Test
    void handlersOfAllKinds_work() {
        List<String> log = new CopyOnWriteArrayList<>();
        List<Event> byActor = new CopyOnWriteArrayList<>();
        AtomicInteger closed = new AtomicInteger();
        start("function", ProjectionSnippets.logging(log));
        start("stateful", new ProjectionSnippets.OrdersPerCart());
        start("actor", new ProjectionSnippets.ByActor(system, ProjectionSnippets.handling(byActor)));
        ActorRef<ProjectionBehavior.Command> connected = start(
                "connection",
                new MailsOverAConnection(() -> CompletableFuture.completedFuture(new MailsOverAConnection.Connection() {
                    @Override
                    public CompletionStage<Done> send(String id, String text) {
                        return ProjectionSnippetsTest.this.send(id, text);
                    }

                    @Override
                    public CompletionStage<Done> close() {
                        closed.incrementAndGet();
                        return CompletableFuture.completedFuture(Done.getInstance());
                    }
                })));
        start(DynamoDBProjection.exactlyOnce(
                ProjectionId.of("orders", "all"),
                Optional.of(ProjectionSnippets.parallel(system)),
                carts(),
                () -> ProjectionSnippets.countingOrders(popular),
                system));
        shop("1");
        await().atMost(PATIENCE).until(() -> log.size() == 4 && byActor.size() == 4 && mails.size() == 1);
        assertThat(log).containsExactly("ShoppingCart|1 1", "ShoppingCart|1 2", "ShoppingCart|1 3", "ShoppingCart|1 4");
        awaitPopular(Map.of("orders", "1"));
        connected.tell(ProjectionBehavior.stopMessage());
        await().atMost(PATIENCE).until(() -> closed.get() == 1);
    }

    @Test
    void failures_areSkippedAndObserved() {
        List<String> seen = new CopyOnWriteArrayList<>();
        ProjectionSnippets.Lag lag = ProjectionSnippets.observe(system);
        AtomicInteger calls = new AtomicInteger();
        ActorRef<ProjectionBehavior.Command> projection =
                start(ProjectionSnippets.skipping(ProjectionSnippets.orderMails(system, carts(), (id, text) -> {
                            calls.incrementAndGet();
                            return CompletableFuture.failedFuture(new IllegalStateException("no mail server"));
                        }))
                        .withStatusObserver(new ProjectionSnippets.Failures(seen)));
        shop("1");
        await().atMost(PATIENCE).until(() -> calls.get() == 4);
        await().atMost(PATIENCE)
                .until(() -> !lag.bySlice().isEmpty()
                        && lag.bySlice().values().stream().allMatch(Duration.ZERO::equals));
        projection.tell(ProjectionBehavior.stopMessage());
        await().atMost(PATIENCE).until(() -> seen.contains("stopped"));
        assertThat(seen).startsWith("started", "error").doesNotContain("failed");
    }

    @Test
    void management_pausesRewindsAndForwards() {
        ProjectionId id = ProjectionId.of("managed", "0-1023");
        List<String> log = new CopyOnWriteArrayList<>();
        start(DynamoDBProjection.atLeastOnce(
                id, Optional.empty(), carts(), () -> ProjectionSnippets.logging(log), system));
        shop("1");
        await().atMost(PATIENCE).until(() -> log.size() == 4);
        await().atMost(PATIENCE)
                .until(() -> result(ProjectionSnippets.offset(system, id)).isPresent());
        result(ProjectionSnippets.pauseAndResume(system, id));
        result(ProjectionSnippets.goTo(system, id, Instant.now().minusSeconds(3600)));
        await().atMost(PATIENCE).until(() -> log.size() == 8);
        result(ProjectionSnippets.beginAnew(system, id));
        await().atMost(PATIENCE).until(() -> log.size() == 12);
        ProjectionManagement management = ProjectionManagement.get(system);
        result(management.pause(id));
        shop("2");
        result(ProjectionSnippets.goTo(system, id, Instant.now().plusMillis(1)));
        result(management.resume(id));
        shop("3");
        await().atMost(PATIENCE).until(() -> log.contains("ShoppingCart|3 4"));
        assertThat(log).hasSize(16).noneMatch(event -> event.startsWith("ShoppingCart|2"));
    }

    @Test
    void rebuildBeside_sendsEachMailOnce_andCleansUp() {
        ProjectionId oldId = ProjectionId.of("order-mails", "0-1023");
        ActorRef<ProjectionBehavior.Command> oldMails = start(DynamoDBProjection.atLeastOnce(
                oldId, Optional.empty(), carts(), () -> new ProjectionSnippets.OrderMails(this::send), system));
        shop("1");
        shop("2");
        assertThat(result(RebuildSnippets.lag(system))).hasSize(4);
        List<String> newMails = new CopyOnWriteArrayList<>();
        StoredProjection old = StoredProjection.of(system, "order-mails", "ShoppingCart");
        start(DynamoDBProjection.atLeastOnce(
                ProjectionId.of("order-mails-2", "0-1023"),
                Optional.empty(),
                carts(),
                () -> new RebuildSnippets.OrderMailsBesideOldOnes(old, (id, text) -> {
                    newMails.add(id);
                    return CompletableFuture.completedFuture(Done.getInstance());
                }),
                system));
        result(RebuildSnippets.switchOver(system));
        assertThat(mails).hasSize(2);
        assertThat(newMails).isEmpty();
        shop("3");
        await().atMost(PATIENCE).until(() -> newMails.equals(List.of("ShoppingCart|3-1")));
        assertThat(mails).hasSize(2);
        running.remove(oldMails);
        result(Patterns.gracefulStop(Adapter.toClassic(oldMails), PATIENCE, ProjectionBehavior.stopMessage()));
        result(RebuildSnippets.cleanUp(system));
        assertThat(client.scan(scan -> scan.tableName(names.offsets())).join().items())
                .isNotEmpty()
                .allMatch(row -> requireNonNull(row.get("name_slice")).s().startsWith("order-mails-2-"));
    }

    @Test
    void healthChecks_areLoadedByPekkoManagement_andFailWithTheirProjection() {
        Config checks = ConfigFactory.parseString(Docs.blocks("docs/guide/projection-operations.md", "hocon")
                        .get(0))
                .withFallback(system.settings().config())
                .getConfig("pekko.management.health-checks");
        HealthChecks health =
                new HealthChecks((ExtendedActorSystem) system.classicSystem(), HealthCheckSettings.create(checks));
        assertThat(result(health.ready())).isTrue();
        AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
        DynamoDBClients.get(system).useClock(now::get);
        HealthChecks later =
                new HealthChecks((ExtendedActorSystem) system.classicSystem(), HealthCheckSettings.create(checks));
        ProgressObservers told = ProgressObservers.get(system);
        told.failed(ProjectionId.of("orders", "0-1023"), new IllegalStateException("once"));
        assertThat(result(later.ready())).isTrue();
        now.updateAndGet(instant -> instant.plusSeconds(60));
        told.failed(ProjectionId.of("orders", "0-1023"), new IllegalStateException("again"));
        assertThat(result(later.ready())).isFalse();
        told.processed(ProjectionId.of("orders", "0-1023"), 1);
        assertThat(result(later.ready())).isTrue();
    }

    @Test
    void secondSection_hasAnOffsetTableOfItsOwn() {
        DynamoDBProjectionSettings settings =
                ProjectionSnippets.second(system).withTimestampOffsetTable(names.offsets() + "-2");
        result(CreateTables.createTimestampOffsetStoreTable(system, settings, client, false));
        List<String> log = new CopyOnWriteArrayList<>();
        start(DynamoDBProjection.atLeastOnce(
                ProjectionId.of("second", "0-1023"),
                Optional.of(settings),
                carts(),
                () -> ProjectionSnippets.logging(log),
                system));
        shop("1");
        await().atMost(PATIENCE).until(() -> log.size() == 4);
        await().atMost(PATIENCE)
                .until(() ->
                        client.scan(scan -> scan.tableName(settings.timestampOffsetTable())).join().items().stream()
                                .anyMatch(row -> row.containsValue(AttributeValue.fromS("ShoppingCart|1"))));
    }
}
