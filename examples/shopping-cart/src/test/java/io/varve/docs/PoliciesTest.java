package io.varve.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.docs.IamPolicy.Grant;
import io.varve.docs.StoringActor.Command;
import io.varve.docs.StoringActor.Command.DeleteEvents;
import io.varve.docs.StoringActor.Command.DeleteSnapshots;
import io.varve.docs.StoringActor.Command.Recover;
import io.varve.docs.StoringActor.Command.SaveSnapshot;
import io.varve.docs.StoringActor.Command.Store;
import io.varve.persistence.VarveTables;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.projection.DynamoDBTransactHandler;
import io.varve.projection.javadsl.DynamoDBProjection;
import io.varve.projection.javadsl.DynamoDBSourceProvider;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.Fault;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.FaultRule;
import io.varve.testkit.RecordedRequest;
import io.varve.testkit.RequestMatch;
import io.varve.testkit.TableNames;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.pekko.Done;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.PoisonPill;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.pattern.Patterns;
import org.apache.pekko.persistence.query.NoOffset;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.Projection;
import org.apache.pekko.projection.ProjectionBehavior;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.javadsl.Handler;
import org.apache.pekko.projection.javadsl.ProjectionManagement;
import org.apache.pekko.projection.javadsl.SourceProvider;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** With the policies of the security page everything works, and each of their permissions is needed. */
@DynamoDBTest
class PoliciesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String PAGE = Docs.read("docs/guide/security.md");
    private static final String ID = "Cart|1";
    private static final int CHAIN = 250; // events: more than a transaction holds
    private static final int IN_PARTS = 500_000; // characters: more than an item holds

    private final DynamoDBLocal dynamoDB;
    private final DynamoDbAsyncClient client;
    private final FaultProxy proxy;
    private final TableNames names;
    private final String view;
    private final Map<String, String> tables;
    private final List<org.apache.pekko.actor.ActorSystem> systems = new ArrayList<>();

    PoliciesTest(DynamoDBLocal dynamoDB, DynamoDbAsyncClient client, FaultProxy proxy, TableNames names) {
        this.dynamoDB = dynamoDB;
        this.client = client;
        this.proxy = proxy;
        this.names = names;
        this.view = names.journal() + "-view";
        this.tables = Map.of(
                "my-journal", names.journal(),
                "my-snapshots", names.snapshots(),
                "my-offsets", names.offsets(),
                "my-view", view);
    }

    @AfterEach
    void end() {
        systems.forEach(system -> {
            system.terminate();
            result(system.getWhenTerminated());
        });
    }

    private ActorSystem<?> system(URI endpoint) {
        Config config = ConfigFactory.parseString("""
                        pekko.actor.provider = local
                        pekko.actor.allow-java-serialization = off
                        pekko.coordinated-shutdown.run-by-jvm-shutdown-hook = off
                        pekko.persistence.journal.plugin = "dynamodb-journal"
                        pekko.persistence.snapshot-store.plugin = "dynamodb-snapshot-store"
                        pekko.persistence.dynamodb.client.local { enabled = on, host = "%s", port = %d }
                        pekko.projection.dynamodb.offset-store.timestamp-offset-table = "%s"
                        pekko.projection.dynamodb.offset-store.slice-flush-interval = 100 ms
                        dynamodb-journal.journal-table = "%s"
                        dynamodb-snapshot-store.snapshot-table = "%s"
                        dynamodb-journal.slice-index.shards = 4
                        dynamodb-read-journal.refresh-interval = 500 ms
                        """.formatted(
                        endpoint.getHost(), endpoint.getPort(), names.offsets(), names.journal(), names.snapshots()))
                .withFallback(ConfigFactory.load())
                .resolve();
        org.apache.pekko.actor.ActorSystem system = org.apache.pekko.actor.ActorSystem.create("policies", config);
        systems.add(system);
        return Adapter.toTyped(system);
    }

    /** A system that may do everything, with its tables. */
    private ActorSystem<?> unrestricted() {
        ActorSystem<?> system = system(dynamoDB.endpoint());
        assertThat(GuideSnippets.createTables(system)).isEmpty();
        client.createTable(request -> request.tableName(view)
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
        return system;
    }

    private IamPolicy policy(String heading) {
        return IamPolicy.of(PAGE, heading, tables);
    }

    /** A system that may do what the policy allows. */
    private ActorSystem<?> restricted(IamPolicy policy) {
        proxy.on(
                RequestMatch.any().where(request -> !policy.allows(request)),
                Fault.error(
                        400,
                        "com.amazon.coral.service#AccessDeniedException",
                        "User is not authorized to perform this action on this resource"));
        return system(proxy.endpoint());
    }

    private List<String> refused() {
        return proxy.requests().requests().stream()
                .filter(request -> request.errorCode().endsWith("AccessDeniedException"))
                .map(request -> IamPolicy.needed(request.request()).toString())
                .toList();
    }

    private void allIsAllowed_andEachOfTheseIsNeeded(List<Grant> grants) {
        assertThat(refused()).isEmpty();
        List<Grant> needed = proxy.requests().requests().stream()
                .map(RecordedRequest::request)
                .flatMap(request -> IamPolicy.needed(request).stream())
                .distinct()
                .toList();
        assertThat(grants).isNotEmpty().allSatisfy(grant -> assertThat(needed).anyMatch(grant::covers));
    }

    private static <T> T result(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    private static ActorRef start(ActorSystem<?> system) {
        ActorRef actor = Adapter.toClassic(system).actorOf(StoringActor.props(ID));
        tell(actor, new Recover());
        return actor;
    }

    private static long tell(ActorRef actor, Command command) {
        return (Long) result(Patterns.ask(actor, command, PATIENCE));
    }

    private static void stop(ActorRef actor, Object message) {
        result(Patterns.gracefulStop(actor, PATIENCE, message));
    }

    private static void write(ActorSystem<?> system, int events) {
        ActorRef actor = start(system);
        for (int i = 0; i < events; i++) {
            tell(actor, new Store(1, Set.of("tag")));
        }
        stop(actor, PoisonPill.getInstance());
    }

    @Test
    void writer() {
        unrestricted();
        IamPolicy policy = policy("Writer");
        ActorSystem<?> system = restricted(policy);
        ActorRef actor = start(system);
        tell(actor, new Store(1, Set.of()));
        tell(actor, new Store(3, Set.of("tag")));
        tell(actor, new SaveSnapshot(100));
        long last = tell(actor, new Store(CHAIN, Set.of()));
        tell(actor, new SaveSnapshot(IN_PARTS));
        stop(actor, PoisonPill.getInstance());

        ActorRef again = start(system);
        tell(again, new DeleteEvents(last - 1));
        tell(again, new DeleteSnapshots(last));
        FaultRule crash = proxy.on(
                RequestMatch.operation("TransactWriteItems")
                        .table(names.journal())
                        .skip(1),
                Fault.error(400, "ValidationException", "as if the node had crashed"));
        assertThatThrownBy(() -> tell(again, new Store(CHAIN, Set.of()))).hasMessageContaining("as if the node");
        crash.remove();
        assertThat(tell(start(system), new Store(1, Set.of()))).isEqualTo(last + 1);

        allIsAllowed_andEachOfTheseIsNeeded(policy.grants());
    }

    @Test
    void reader() {
        write(unrestricted(), 3);
        IamPolicy policy = policy("Reader");
        ActorSystem<?> system = restricted(policy);
        DynamoDBReadJournal queries = QuerySnippets.readJournal(system);

        assertThat(all(queries.currentEventsByPersistenceId(ID, 0, Long.MAX_VALUE), system))
                .hasSize(3);
        assertThat(all(queries.currentEventsBySlices("Cart", 0, 1023, NoOffset.getInstance()), system))
                .hasSize(3);
        assertThat(all(queries.currentEventsByTag("tag", NoOffset.getInstance()), system))
                .hasSize(3);
        assertThat(all(queries.currentPersistenceIds(), system)).containsExactly(ID);
        assertThat(result(queries.currentLastSequenceNumberByPersistenceId(ID))).contains(3L);
        assertThat(result(queries.timestampOf(ID, 2))).isPresent();
        assertThat(result(queries.loadEnvelope(ID, 3)).sequenceNr()).isEqualTo(3);
        assertThat(result(queries.eventsBySlices("Cart", 0, 1023, NoOffset.getInstance())
                        .take(3)
                        .runWith(Sink.seq(), system)))
                .hasSize(3);

        allIsAllowed_andEachOfTheseIsNeeded(policy.grants());
    }

    private static <T> List<T> all(Source<T, ?> source, ActorSystem<?> system) {
        return result(source.runWith(Sink.seq(), system));
    }

    private static SourceProvider<Offset, EventEnvelope<String>> carts(ActorSystem<?> system) {
        return DynamoDBSourceProvider.eventsBySlices(system, "Cart", 0, 1023);
    }

    private DynamoDBTransactHandler<EventEnvelope<String>> counting() {
        return DynamoDBTransactHandler.fromFunction(event ->
                CompletableFuture.completedFuture(List.of(TransactWriteItem.builder()
                        .update(update -> update.tableName(view)
                                .key(Map.of("id", AttributeValue.fromS(event.persistenceId())))
                                .updateExpression("ADD events :one")
                                .expressionAttributeValues(Map.of(":one", AttributeValue.fromN("1"))))
                        .build())));
    }

    private static Handler<EventEnvelope<String>> logging(List<Long> log) {
        return Handler.fromFunction(event -> {
            log.add(event.sequenceNr());
            return CompletableFuture.completedFuture(Done.getInstance());
        });
    }

    private static ActorRef start(ActorSystem<?> system, Projection<?> projection) {
        return Adapter.toClassic(
                Adapter.spawnAnonymous(Adapter.toClassic(system), ProjectionBehavior.create(projection)));
    }

    private String counted() {
        return client.getItem(get -> get.tableName(view)
                        .key(Map.of("id", AttributeValue.fromS(ID)))
                        .consistentRead(true))
                .join()
                .item()
                .getOrDefault("events", AttributeValue.fromN("0"))
                .n();
    }

    @Test
    void projection() {
        write(unrestricted(), 3);
        IamPolicy policy = policy("Projection");
        ActorSystem<?> system = restricted(policy);
        proxy.on( // so that it is read from the journal
                RequestMatch.operation("Query").index("slice-idx"),
                Fault.hideFromIndex(event -> AttributeValue.fromN("1").equals(event.get("seq"))));
        List<Long> log = new CopyOnWriteArrayList<>();
        ActorRef exactlyOnce = start(
                system,
                DynamoDBProjection.exactlyOnce(
                        ProjectionId.of("counting", "0-1023"),
                        Optional.empty(),
                        carts(system),
                        this::counting,
                        system));
        ActorRef atLeastOnce = start(
                system,
                DynamoDBProjection.atLeastOnce(
                        ProjectionId.of("logging", "0-1023"),
                        Optional.empty(),
                        carts(system),
                        () -> logging(log),
                        system));

        await().atMost(PATIENCE).until(() -> counted().equals("3") && log.equals(List.of(1L, 2L, 3L)));
        stop(exactlyOnce, ProjectionBehavior.stopMessage());
        stop(atLeastOnce, ProjectionBehavior.stopMessage());
        allIsAllowed_andEachOfTheseIsNeeded(policy.grants());
    }

    @Test
    void offsetManagement() {
        write(unrestricted(), 3);
        IamPolicy policy = policy("Offset management");
        ActorSystem<?> system = restricted(policy("Projection").and(policy));
        ProjectionId id = ProjectionId.of("logging", "0-1023");
        List<Long> log = new CopyOnWriteArrayList<>();
        ActorRef running = start(
                system,
                DynamoDBProjection.atLeastOnce(id, Optional.empty(), carts(system), () -> logging(log), system));
        await().atMost(PATIENCE).until(() -> log.size() == 3);
        ProjectionManagement management = ProjectionManagement.get(system);
        await().atMost(PATIENCE)
                .until(() -> result(management.<Offset>getOffset(id)).isPresent());
        result(management.pause(id));
        assertThat(result(management.isPaused(id))).isTrue();
        result(management.resume(id));
        result(ProjectionSnippets.goTo(system, id, Instant.EPOCH));
        await().atMost(PATIENCE).until(() -> log.size() == 6);
        result(management.clearOffset(id));
        await().atMost(PATIENCE).until(() -> log.size() == 9);
        stop(running, ProjectionBehavior.stopMessage());

        allIsAllowed_andEachOfTheseIsNeeded(policy.grants());
    }

    @Test
    void tables() {
        IamPolicy policy = policy("Tables");
        ActorSystem<?> system = restricted(policy);
        assertThat(result(VarveTables.createAll(system))).hasSize(3);
        assertThat(result(VarveTables.verify(system))).isEmpty();
        allIsAllowed_andEachOfTheseIsNeeded(policy.grants());
    }

    @Test
    void whatIsNotAllowed_isRefused_andTheMessageNamesOperationAndTable() {
        ActorSystem<?> all = unrestricted();
        write(all, 1);
        IamPolicy withoutChecks = new IamPolicy(policy("Writer").grants().stream()
                .filter(grant -> !grant.action().equals("ConditionCheckItem"))
                .toList());
        ActorRef actor = start(restricted(withoutChecks));
        assertThat(tell(actor, new Store(2, Set.of()))).isEqualTo(3);
        assertThatThrownBy(() -> tell(actor, new Store(CHAIN, Set.of())))
                .hasMessageContaining("TransactWriteItems on table '" + names.journal() + "' was refused: ")
                .hasMessageContaining("is not authorized");
        assertThat(refused()).isNotEmpty().allMatch(needed -> needed.contains("ConditionCheckItem"));
    }
}
