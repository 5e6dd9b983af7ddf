package io.varve.benchmark.delivery;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.varve.benchmark.side.Side;
import io.varve.persistence.VarveTables;
import io.varve.store.table.TableDefinition;
import io.varve.store.table.TableOptions;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;

/** An actor system whose plugins use one endpoint, with entities that persist what they are told. */
final class BenchSystem implements AutoCloseable {
    private static final int WRITES_AT_ONCE = 20;

    private final ActorSystem<Void> system;

    static BenchSystem on(Side.Tables tables) {
        return on(tables, "");
    }

    /** A system on these tables with some settings more. */
    static BenchSystem on(Side.Tables tables, String more) {
        return new BenchSystem(
                tables.endpoint(), more + "\ndynamodb-journal.journal-table = \"" + tables.journal() + "\"");
    }

    private BenchSystem(URI endpoint, String more) {
        Config config = ConfigFactory.parseString(more)
                .withFallback(ConfigFactory.parseString("""
                        pekko {
                          loglevel = WARNING
                          loggers = ["org.apache.pekko.event.slf4j.Slf4jLogger"]
                          persistence.journal.plugin = "dynamodb-journal"
                          persistence.snapshot-store.plugin = "pekko.persistence.no-snapshot-store"
                          persistence.dynamodb.client.local { enabled = on, host = "%s", port = %d }
                        }
                        """.formatted(endpoint.getHost(), endpoint.getPort())))
                .withFallback(ConfigFactory.load());
        this.system = ActorSystem.create(Behaviors.empty(), "benchmark", config);
    }

    ActorSystem<Void> system() {
        return system;
    }

    /** Creates a table. */
    void create(TableDefinition table) {
        VarveTables.create(system, table, TableOptions.DEFAULT)
                .toCompletableFuture()
                .join();
    }

    /** Starts an entity that persists each text it is told, and calls back when it has. */
    ActorRef<String> entity(String persistenceId, Runnable persisted) {
        return system.systemActorOf(behavior(persistenceId, persisted), persistenceId.replace('|', '-'), Props.empty());
    }

    /** Lets the entities take turns in persisting so many events, some of them at once, and waits for all. */
    void write(List<String> persistenceIds, int events) throws InterruptedException {
        CountDownLatch persisted = new CountDownLatch(events);
        Semaphore underWay = new Semaphore(WRITES_AT_ONCE);
        List<ActorRef<String>> entities = persistenceIds.stream()
                .map(id -> entity(id, () -> {
                    underWay.release();
                    persisted.countDown();
                }))
                .toList();
        for (int i = 0; i < events; i++) {
            if (!underWay.tryAcquire(1, TimeUnit.MINUTES)) {
                throw new IllegalStateException("An event could not be written within a minute.");
            }
            entities.get(i % entities.size()).tell("event-" + i);
        }
        if (!persisted.await(1, TimeUnit.MINUTES)) {
            throw new IllegalStateException(persisted.getCount() + " events were not written within a minute.");
        }
    }

    private static Behavior<String> behavior(String persistenceId, Runnable persisted) {
        return new EventSourcedBehavior<String, String, Done>(PersistenceId.ofUniqueId(persistenceId)) {
            @Override
            public Done emptyState() {
                return Done.getInstance();
            }

            @Override
            public CommandHandler<String, String, Done> commandHandler() {
                return (state, event) -> Effect().persist(event).thenRun(persisted::run);
            }

            @Override
            public EventHandler<Done, String> eventHandler() {
                return (state, event) -> state;
            }
        };
    }

    @Override
    public void close() throws Exception {
        system.terminate();
        system.getWhenTerminated().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
}
