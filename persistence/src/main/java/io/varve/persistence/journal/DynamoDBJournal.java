package io.varve.persistence.journal;

import com.typesafe.config.Config;
import io.varve.persistence.internal.plugin.Futures;
import io.varve.persistence.internal.plugin.PluginClients;
import io.varve.persistence.internal.plugin.TypedActors;
import io.varve.persistence.internal.publish.EventPublisher;
import io.varve.persistence.internal.serialization.EventCodec;
import io.varve.store.internal.append.AppendRequest;
import io.varve.store.internal.append.AppendResult;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.journal.EventStore;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.replay.Replayer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.persistence.AtomicWrite;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.persistence.journal.japi.AsyncWriteJournal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.concurrent.Future;

/** The journal plugin: an actor of Pekko's that does its work elsewhere. */
public final class DynamoDBJournal extends AsyncWriteJournal {
    private static final Logger LOG = LoggerFactory.getLogger(DynamoDBJournal.class);

    private final PluginClients.Connection connection;
    private final EventStore store;
    private final EventCodec codec;
    private final Optional<EventPublisher> publisher;
    private final Duration writeTime;
    private final Executor workers;
    private final Executor replayers;

    /** Called by Pekko with the plugin's section and its path. */
    public DynamoDBJournal(Config section, String path) {
        ActorSystem system = context().system();
        JournalSettings settings =
                JournalSettings.from(section, path, system.settings().config());
        this.workers = system.dispatchers().lookup(settings.plugin().clientDispatcher());
        this.replayers = system.dispatchers().lookup(settings.replayDispatcher());
        PluginClients clients = PluginClients.get(system);
        this.connection = clients.connect(
                section, path, gateway -> settings.plugin().belowCircuitBreaker(gateway, path), workers);
        this.store = new EventStore(connection.gateway(), settings.store(), clients.clock());
        this.writeTime = settings.plugin().mostTime();
        this.codec = new EventCodec(system);
        this.publisher = TypedActors.arePresent()
                ? EventPublisher.of(settings.store(), settings.publish(), path, system, clients.clock())
                : Optional.empty();
        if (settings.plugin().logConfig()) {
            LOG.info("{} starts with {}, {}", path, settings, connection.settings());
        }
    }

    @Override
    public void postStop() throws Exception {
        super.postStop();
        connection.close();
    }

    @Override
    public Future<Iterable<Optional<Exception>>> doAsyncWriteMessages(Iterable<AtomicWrite> messages) {
        Serialized serialized = new Serialized();
        CompletionStage<List<AppendRequest>> writes = CompletableFuture.supplyAsync(
                        () -> serialized.all(messages), workers)
                .thenCompose(stage -> stage);
        String persistenceId = messages.iterator().next().persistenceId();
        return Futures.toScala(store.append(persistenceId, writes, writeTime).thenApply(results -> {
            publisher.ifPresent(queries -> queries.written(results)); // before the entity can write again
            return serialized.results(results);
        }));
    }

    @Override
    public Future<Void> doAsyncDeleteMessagesTo(String persistenceId, long toSequenceNr) {
        return Futures.toScala(store.delete(persistenceId, toSequenceNr));
    }

    @Override
    public Future<Long> doAsyncReadHighestSequenceNr(String persistenceId, long fromSequenceNr) {
        publisher.ifPresent(queries -> queries.recovering(persistenceId));
        return Futures.toScala(store.highestSequenceNumber(persistenceId, fromSequenceNr));
    }

    @Override
    public Future<Void> doAsyncReplayMessages(
            String persistenceId, long from, long to, long max, Consumer<PersistentRepr> callback) {
        return Futures.toScala(store.replay(
                new Replayer.Range(persistenceId, from, to, max),
                events -> CompletableFuture.supplyAsync(() -> deliver(events, callback), replayers)
                        .thenCompose(stage -> stage)));
    }

    private CompletionStage<Void> deliver(List<Event> events, Consumer<PersistentRepr> callback) {
        CompletionStage<Void> delivered = CompletableFuture.completedFuture(null);
        for (Event event : events) {
            delivered = delivered.thenCompose(before -> codec.decode(event)).thenAccept(callback);
        }
        return delivered;
    }

    /** The atomic writes of one message, in order: those that could be serialized, and why the others could not. */
    private final class Serialized {
        private final List<Optional<Exception>> rejections = new ArrayList<>();

        CompletionStage<List<AppendRequest>> all(Iterable<AtomicWrite> messages) {
            CompletionStage<List<AppendRequest>> all = CompletableFuture.completedFuture(new ArrayList<>());
            for (AtomicWrite message : messages) {
                CompletionStage<AppendRequest> one = codec.encode(message);
                all = all.thenCompose(before -> one.handle((request, thrown) -> {
                    if (thrown == null) {
                        before.add(request);
                    }
                    rejections.add(Optional.ofNullable(thrown).map(Serialized::rejection));
                    return before;
                }));
            }
            return all;
        }

        private static Exception rejection(Throwable thrown) {
            Throwable cause = Causes.unwrap(thrown);
            return cause instanceof Exception exception ? exception : new IllegalStateException(cause);
        }

        Iterable<Optional<Exception>> results(List<AppendResult> appended) {
            Iterator<AppendResult> results = appended.iterator();
            return rejections.stream()
                    .map(rejection -> rejection.isPresent() ? rejection : rejectionOf(results.next()))
                    .toList();
        }

        private static Optional<Exception> rejectionOf(AppendResult result) {
            return result instanceof AppendResult.Rejected rejected ? Optional.of(rejected.reason()) : Optional.empty();
        }
    }
}
