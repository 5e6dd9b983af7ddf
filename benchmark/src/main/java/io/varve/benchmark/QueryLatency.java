package io.varve.benchmark;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.persistence.DynamoDBClients;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.store.layout.Tables;
import io.varve.store.table.CreateTables;
import io.varve.store.table.TableOptions;
import io.varve.testkit.DynamoDBLocal;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.persistence.query.NoOffset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;
import org.apache.pekko.stream.javadsl.Sink;

/**
 * How long it takes from the moment an entity is told to persist until a live query over all slices delivers the event, at a
 * steady pace far from what DynamoDB Local can take.
 */
final class QueryLatency {
    private static final int ENTITIES = 20;
    private static final int WARM_UP = 200;
    private static final Duration PACE = Duration.ofMillis(20);

    private QueryLatency() {}

    static List<Report.Row> run(int events) throws Exception {
        return List.of(
                Report.Row.of("persist to delivery, events published", measure("on", events)),
                Report.Row.of("persist to delivery, by polling (refresh-interval 3 s)", measure("off", events)));
    }

    private static List<Long> measure(String publish, int events) throws Exception {
        try (DynamoDBLocal server = DynamoDBLocal.inMemory()) {
            ActorSystem<Void> system =
                    ActorSystem.create(Behaviors.empty(), "benchmark", config(server.endpoint(), publish));
            try {
                createTable(system);
                return new Run(system).measure(events);
            } finally {
                system.terminate();
                system.getWhenTerminated().toCompletableFuture().get(30, TimeUnit.SECONDS);
            }
        }
    }

    private static Config config(URI endpoint, String publish) {
        return ConfigFactory.parseString("""
                pekko {
                  loglevel = WARNING
                  persistence.journal.plugin = "dynamodb-journal"
                  persistence.snapshot-store.plugin = "pekko.persistence.no-snapshot-store"
                  persistence.dynamodb.client.local { enabled = on, host = "%s", port = %d }
                }
                dynamodb-journal.publish-events.enabled = %s
                """.formatted(endpoint.getHost(), endpoint.getPort(), publish))
                .withFallback(ConfigFactory.load());
    }

    private static void createTable(ActorSystem<?> system) {
        Config journal = system.settings().config().getConfig("dynamodb-journal");
        try (DynamoDBClients.Connection connection = DynamoDBClients.get(system)
                .connect(journal, "dynamodb-journal", UnaryOperator.identity(), system.executionContext())) {
            new CreateTables(connection.gateway(), Duration.ofSeconds(60))
                    .create(Tables.journal(journal.getString("journal-table")), TableOptions.DEFAULT)
                    .toCompletableFuture()
                    .join();
        }
    }

    /** One system with its entities and its query. */
    private static final class Run {
        private final ActorSystem<?> system;
        private final Map<String, Long> sent = new ConcurrentHashMap<>();
        private final BlockingQueue<Long> latencies = new LinkedBlockingQueue<>();

        Run(ActorSystem<?> system) {
            this.system = system;
        }

        List<Long> measure(int events) throws InterruptedException {
            PersistenceQuery.get(system)
                    .getReadJournalFor(DynamoDBReadJournal.class, DynamoDBReadJournal.Identifier())
                    .<String>eventsBySlices("bench", 0, 1023, NoOffset.getInstance())
                    .runWith(Sink.foreach(envelope -> arrived(envelope.getEvent())), system);
            List<ActorRef<String>> entities = new ArrayList<>();
            for (int i = 0; i < ENTITIES; i++) {
                entities.add(system.systemActorOf(entity("bench|" + i), "entity-" + i, Props.empty()));
            }
            send("warm-up", WARM_UP, entities);
            return send("event", events, entities);
        }

        private List<Long> send(String name, int count, List<ActorRef<String>> entities) throws InterruptedException {
            for (int i = 0; i < count; i++) {
                String event = name + "-" + i;
                sent.put(event, System.nanoTime());
                entities.get(i % entities.size()).tell(event);
                TimeUnit.NANOSECONDS.sleep(PACE.toNanos());
            }
            List<Long> measured = new ArrayList<>();
            while (measured.size() < count) {
                Long latency = latencies.poll(60, TimeUnit.SECONDS);
                if (latency == null) {
                    throw new IllegalStateException("Only " + measured.size() + " of " + count + " events arrived.");
                }
                measured.add(latency);
            }
            return measured;
        }

        private void arrived(String event) {
            Long since = sent.remove(event);
            if (since != null) {
                latencies.add(System.nanoTime() - since);
            }
        }
    }

    private static Behavior<String> entity(String persistenceId) {
        return new EventSourcedBehavior<String, String, Done>(PersistenceId.ofUniqueId(persistenceId)) {
            @Override
            public Done emptyState() {
                return Done.getInstance();
            }

            @Override
            public CommandHandler<String, String, Done> commandHandler() {
                return (state, event) -> Effect().persist(event);
            }

            @Override
            public EventHandler<Done, String> eventHandler() {
                return (state, event) -> state;
            }
        };
    }
}
