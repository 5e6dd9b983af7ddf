package io.varve.simulation.failsonce.pekko;

import io.varve.persistence.DynamoDBClients;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import io.varve.simulation.failsonce.RunningService;
import io.varve.simulation.failsonce.Server;
import io.varve.simulation.failsonce.Wire;
import io.varve.store.internal.client.ClientSettings;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Function;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.BootstrapSetup;
import org.apache.pekko.actor.setup.ActorSystemSetup;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.persistence.query.PersistenceQuery;

/** A process of a service: an actor system with the plugins and a client of its own. */
final class PekkoProcess implements RunningService {
    private final Server server;
    private final Wire wire;
    private final Patience patience;
    private final ActorSystem<Actors.Start> system;
    private final Map<String, Entity> entities = new HashMap<>();
    private final Set<String> done = new HashSet<>();

    PekkoProcess(Server server, Patience patience) {
        this.server = server;
        this.wire = new Wire(server, ForkJoinPool.commonPool());
        this.patience = patience;
        this.system = ActorSystem.create(
                Actors.create(),
                "process",
                ActorSystemSetup.create(
                        BootstrapSetup.create(patience.config()).withClassloader(PekkoProcess.class.getClassLoader())));
        DynamoDBClients.get(system).useClient(ClientSettings.PATH, wire.client());
    }

    @Override
    public Wire wire() {
        return wire;
    }

    @Override
    public void end() {
        wire.end();
        system.terminate();
    }

    Patience patience() {
        return patience;
    }

    Server server() {
        return server;
    }

    ActorSystem<?> system() {
        return system;
    }

    DynamoDBReadJournal queries() {
        return PersistenceQuery.get(system)
                .getReadJournalFor(DynamoDBReadJournal.class, DynamoDBReadJournal.Identifier());
    }

    /** Starts an actor; the end fails with what the actor fails with. */
    CompletableFuture<ActorRef> start(Function<ActorContext<?>, ActorRef> how, CompletableFuture<Void> end) {
        CompletableFuture<ActorRef> started = new CompletableFuture<>();
        system.tell(new Actors.Start(how, started, end));
        return started;
    }

    /** Whether this is asked for the first time here. */
    synchronized boolean isFirst(String what) {
        return done.add(what);
    }

    /** The entity with this name, if it runs. */
    synchronized Optional<Entity> running(String id) {
        return Optional.ofNullable(entities.get(id)).filter(Entity::isAlive);
    }

    /** From now on this is the entity with this name. */
    synchronized Entity runs(String id, Entity entity) {
        entities.put(id, entity);
        return entity;
    }
}
