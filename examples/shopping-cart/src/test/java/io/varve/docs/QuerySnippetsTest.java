package io.varve.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.persistence.query.SliceOffsets;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.testkit.DynamoDBLocal;
import io.varve.testkit.DynamoDBTest;
import io.varve.testkit.TableNames;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.SpawnProtocol;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.persistence.query.NoOffset;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.TimestampOffset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.UniqueKillSwitch;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Runs the code of the guide to queries. */
@DynamoDBTest
class QuerySnippetsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ActorSystem<SpawnProtocol.Command> system;
    private final DynamoDBReadJournal queries;

    QuerySnippetsTest(DynamoDBLocal dynamoDB, TableNames names) {
        Config config = ConfigFactory.parseMap(Map.of(
                        "pekko.actor.provider",
                        "local",
                        "pekko.persistence.dynamodb.client.local.enabled",
                        true,
                        "pekko.persistence.dynamodb.client.local.host",
                        dynamoDB.endpoint().getHost(),
                        "pekko.persistence.dynamodb.client.local.port",
                        dynamoDB.endpoint().getPort(),
                        "dynamodb-journal.journal-table",
                        names.journal(),
                        "dynamodb-snapshot-store.snapshot-table",
                        names.snapshots()))
                .withFallback(ConfigFactory.parseString(
                        Docs.blocks("README.md", "hocon").get(0)))
                .withFallback(ConfigFactory.load());
        this.system = ActorSystem.create(SpawnProtocol.create(), "queries", config);
        this.queries = QuerySnippets.readJournal(system);
    }

    @BeforeEach
    void createTables() {
        assertThat(GuideSnippets.createTables(system)).isEmpty();
    }

    @AfterEach
    void end() {
        system.terminate();
        system.getWhenTerminated().toCompletableFuture().join();
    }

    private ActorRef<String> start(Behavior<String> behavior, String name) {
        return result(AskPattern.ask(
                system,
                (ActorRef<ActorRef<String>> replyTo) ->
                        new SpawnProtocol.Spawn<>(behavior, name, Props.empty(), replyTo),
                PATIENCE,
                system.scheduler()));
    }

    private static <T> T result(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    private <T> List<T> all(Source<T, ?> source) {
        return result(source.runWith(Sink.seq(), system));
    }

    private UniqueKillSwitch run(Source<?, NotUsed> source) {
        return source.viaMat(KillSwitches.single(), Keep.right())
                .to(Sink.ignore())
                .run(system);
    }

    private List<EventEnvelope<String>> stored(String entityType, int events) {
        Source<EventEnvelope<String>, NotUsed> source =
                queries.currentEventsBySlices(entityType, 0, 1023, NoOffset.getInstance());
        await().atMost(PATIENCE).until(() -> all(source).size() == events);
        return all(source);
    }

    /** A read model in memory, which keeps its offset as a database would. */
    private final class Model implements QuerySnippets.ReadModel {
        private final List<String> notes = new CopyOnWriteArrayList<>();
        private final Map<String, Long> numbers = new HashMap<>();
        private volatile Offset offset = NoOffset.getInstance();

        @Override
        public CompletionStage<Offset> offset() {
            return CompletableFuture.completedFuture(offset);
        }

        @Override
        public synchronized CompletionStage<Done> handle(EventEnvelope<String> envelope) {
            if (envelope.sequenceNr() > numbers.getOrDefault(envelope.persistenceId(), 0L)) {
                numbers.put(envelope.persistenceId(), envelope.sequenceNr());
                notes.add(envelope.getEvent());
            }
            return CompletableFuture.completedFuture(Done.getInstance());
        }

        @Override
        public CompletionStage<Done> save(Offset saved) {
            offset = QuerySnippets.fromSaved(system, QuerySnippets.toSave(system, saved));
            return CompletableFuture.completedFuture(Done.getInstance());
        }
    }

    @Test
    void currentQuery_readsAllNotes() {
        ActorRef<String> notes = start(new Notes("today"), "notes");
        notes.tell("buy milk");
        notes.tell("drink it");
        stored("Notes", 2);
        assertThat(result(QuerySnippets.allNotes(system, queries)))
                .containsExactly("Notes|today: buy milk", "Notes|today: drink it");
        assertThat(QuerySnippets.scalaReadJournal(system).sliceForPersistenceId("Notes|today"))
                .isEqualTo(queries.sliceForPersistenceId("Notes|today"));
    }

    @Test
    void readModel_withOneOffset_goesOnAfterARestart() {
        Model model = new Model();
        goesOnAfterARestart(model, () -> QuerySnippets.withOneOffset(queries, model));
        assertThat(model.offset).isInstanceOf(TimestampOffset.class);
    }

    @Test
    void readModel_withAnOffsetForEachSlice_goesOnAfterARestart() {
        Model model = new Model();
        goesOnAfterARestart(model, () -> QuerySnippets.withAnOffsetForEachSlice(queries, model));
        assertThat(model.offset).isInstanceOf(SliceOffsets.class);
    }

    private void goesOnAfterARestart(Model model, Supplier<Source<Done, NotUsed>> source) {
        ActorRef<String> notes = start(new Notes("today"), "notes");
        UniqueKillSwitch first = run(source.get());
        notes.tell("one");
        await().atMost(PATIENCE).until(() -> model.notes.equals(List.of("one")));
        await().atMost(PATIENCE).until(() -> !model.offset.equals(NoOffset.getInstance()));
        first.shutdown();
        notes.tell("two");
        UniqueKillSwitch second = run(source.get());
        await().atMost(PATIENCE).until(() -> model.notes.equals(List.of("one", "two")));
        second.shutdown();
    }

    @Test
    void tags_areQueriedAndReadFromTheEnvelope() {
        ActorRef<String> tasks = start(new QuerySnippets.Tasks("home"), "tasks");
        List<String> urgent = new CopyOnWriteArrayList<>();
        UniqueKillSwitch query =
                run(QuerySnippets.urgentTasks(queries, NoOffset.getInstance()).map(urgent::add));
        tasks.tell("sweep");
        tasks.tell("put out the fire!");
        assertThat(stored("Tasks", 2)).extracting(QuerySnippets::tags).containsExactly(Set.of(), Set.of("urgent"));
        await().atMost(PATIENCE).until(() -> urgent.equals(List.of("put out the fire!")));
        query.shutdown();
    }

    @Test
    void entitiesAndSingleEvents_areFound() {
        start(new Notes("today"), "notes").tell("buy milk");
        stored("Notes", 1);
        assertThat(result(QuerySnippets.nextPage(system, queries, Optional.empty())))
                .containsExactly("Notes|today");
        assertThat(result(QuerySnippets.nextPage(system, queries, Optional.of("Notes|today"))))
                .isEmpty();
        assertThat(result(QuerySnippets.isThere(queries, "Notes|today"))).isTrue();
    }
}
