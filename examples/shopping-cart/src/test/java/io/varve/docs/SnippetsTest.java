package io.varve.docs;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.FaultProxy;
import io.varve.testkit.TableNames;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.SpawnProtocol;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Runs the documentation's examples. */
@DynamoDBTest
class SnippetsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final DynamoDbAsyncClient client;
    private final String table;
    private final String snapshots;

    SnippetsTest(DynamoDbAsyncClient client, TableNames names) {
        this.client = client;
        this.table = names.journal();
        this.snapshots = names.snapshots();
    }

    /** The README's configuration, on DynamoDB Local. */
    private Config config(URI dynamoDB) {
        return ConfigFactory.parseMap(Map.of(
                        "pekko.actor.provider",
                        "local",
                        "pekko.persistence.dynamodb.client.local.enabled",
                        true,
                        "pekko.persistence.dynamodb.client.local.host",
                        dynamoDB.getHost(),
                        "pekko.persistence.dynamodb.client.local.port",
                        dynamoDB.getPort(),
                        "dynamodb-journal.journal-table",
                        table,
                        "dynamodb-snapshot-store.snapshot-table",
                        snapshots))
                .withFallback(ConfigFactory.parseString(
                        Docs.blocks("README.md", "hocon").get(0)))
                .withFallback(ConfigFactory.load());
    }

    private static ActorSystem<SpawnProtocol.Command> start(Config config) {
        return ActorSystem.create(SpawnProtocol.create(), "docs", config);
    }

    private static void end(ActorSystem<?> system) {
        system.terminate();
        system.getWhenTerminated().toCompletableFuture().join();
    }

    private static ActorRef<String> notes(ActorSystem<SpawnProtocol.Command> system) {
        return AskPattern.ask(
                        system,
                        (ActorRef<ActorRef<String>> replyTo) ->
                                new SpawnProtocol.Spawn<>(new Notes("today"), "notes", Props.empty(), replyTo),
                        PATIENCE,
                        system.scheduler())
                .toCompletableFuture()
                .join();
    }

    private List<String> stored() {
        return client
                .query(r -> r.tableName(table)
                        .keyConditionExpression("par = :par")
                        .expressionAttributeValues(Map.of(":par", AttributeValue.fromS("journal-P-Notes|today-0"))))
                .join()
                .items()
                .stream()
                .map(item -> requireNonNull(item.get("num")).n() + " "
                        + requireNonNull(item.get("event")).b().asUtf8String())
                .toList();
    }

    @Test
    void readme_storesNotesAndGoesOnAfterARestart(DynamoDBLocal dynamoDB) {
        ActorSystem<SpawnProtocol.Command> system = start(config(dynamoDB.endpoint()));
        assertThat(GuideSnippets.createTables(system)).isEmpty();
        notes(system).tell("buy milk");
        await().atMost(PATIENCE).until(() -> stored().equals(List.of("1 buy milk")));
        end(system);

        ActorSystem<SpawnProtocol.Command> again = start(config(dynamoDB.endpoint()));
        notes(again).tell("drink it");
        await().atMost(PATIENCE).until(() -> stored().equals(List.of("1 buy milk", "2 drink it")));
        end(again);
    }

    @Test
    void ownClientAndObserver_areUsed(FaultProxy proxy) {
        Queue<String> observed = new ConcurrentLinkedQueue<>();
        ActorSystem<SpawnProtocol.Command> system = start(config(URI.create("http://127.0.0.1:1")));
        try (DynamoDbAsyncClient own = proxy.client()) {
            GuideSnippets.ownClient(system, own);
            GuideSnippets.observer(system, request -> observed.add(request.operation()));
            MeterRegistry registry = new SimpleMeterRegistry();
            GuideSnippets.bindMetrics(system, registry);
            assertThat(GuideSnippets.createTables(system)).isEmpty();
            notes(system).tell("buy milk");
            await().atMost(PATIENCE).until(() -> stored().equals(List.of("1 buy milk")));
            assertThat(registry.find("varve.dynamodb.requests").timers()).isNotEmpty();
            end(system);
        }
        assertThat(proxy.requests().operations()).contains("CreateTable", "PutItem");
        assertThat(observed).contains("CreateTable", "PutItem");
    }
}
