package io.varve.persistence.snapshot;

import com.typesafe.config.Config;
import io.varve.persistence.internal.plugin.Futures;
import io.varve.persistence.internal.plugin.PluginClients;
import io.varve.store.internal.snapshot.Criteria;
import io.varve.store.internal.snapshot.SnapshotStore;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.persistence.SaveSnapshotFailure;
import org.apache.pekko.persistence.SelectedSnapshot;
import org.apache.pekko.persistence.SnapshotMetadata;
import org.apache.pekko.persistence.SnapshotSelectionCriteria;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.PartialFunction;
import scala.concurrent.Future;
import scala.runtime.BoxedUnit;

/** The snapshot store plugin: an actor of Pekko's that does its work elsewhere. */
public final class DynamoDBSnapshotStore extends org.apache.pekko.persistence.snapshot.japi.SnapshotStore {
    private static final Logger LOG = LoggerFactory.getLogger(DynamoDBSnapshotStore.class);
    /** The latest time that can be asked for; Pekko's own is beyond what an instant in milliseconds is compared with safely. */
    private static final long LATEST = 253_402_300_799_999L;

    private final PluginClients.Connection connection;
    private final SnapshotStore store;
    private final SnapshotCodec codec;
    private final SnapshotSettings settings;
    private final Executor workers;
    private @Nullable Object handled;

    /** Called by Pekko with the plugin's section and its path. */
    public DynamoDBSnapshotStore(Config section, String path) {
        ActorSystem system = context().system();
        this.settings = SnapshotSettings.from(section, path, system.settings().config());
        this.workers = system.dispatchers().lookup(settings.plugin().clientDispatcher());
        PluginClients clients = PluginClients.get(system);
        this.connection = clients.connect(
                section, path, gateway -> settings.plugin().belowCircuitBreaker(gateway, path), workers);
        this.store = new SnapshotStore(connection.gateway(), settings.store(), clients.clock());
        this.codec = new SnapshotCodec(system);
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
    public Future<Optional<SelectedSnapshot>> doLoadAsync(String persistenceId, SnapshotSelectionCriteria criteria) {
        return Futures.toScala(store.load(
                persistenceId,
                criteria(criteria),
                settings.loadOlderOnFailure(),
                snapshot -> CompletableFuture.supplyAsync(() -> codec.decode(snapshot), workers)
                        .thenCompose(stage -> stage)));
    }

    @Override
    public Future<Void> doSaveAsync(SnapshotMetadata metadata, Object snapshot) {
        return Futures.toScala(store.save(CompletableFuture.supplyAsync(() -> codec.encode(metadata, snapshot), workers)
                .thenCompose(stage -> stage)));
    }

    /** Pekko's own hook around each message; a delete below is told by the message that it is part of. */
    @Override
    public void aroundReceive(PartialFunction<Object, BoxedUnit> receive, Object message) {
        handled = message;
        super.aroundReceive(receive, message);
    }

    /**
     * While Pekko handles the failure of a save, it asks to delete what may be stored of it. That is never half a snapshot, but
     * it may be an older one of the same number, which must stay.
     */
    @Override
    public Future<Void> doDeleteAsync(SnapshotMetadata metadata) {
        return Futures.toScala(
                handled instanceof SaveSnapshotFailure
                        ? CompletableFuture.completedFuture(null)
                        : store.delete(metadata.persistenceId(), metadata.sequenceNr()));
    }

    @Override
    public Future<Void> doDeleteAsync(String persistenceId, SnapshotSelectionCriteria criteria) {
        return Futures.toScala(store.delete(persistenceId, criteria(criteria)));
    }

    private static Criteria criteria(SnapshotSelectionCriteria criteria) {
        return new Criteria(
                Math.max(0, criteria.minSequenceNr()),
                criteria.maxSequenceNr(),
                Instant.ofEpochMilli(Math.max(0, criteria.minTimestamp())),
                Instant.ofEpochMilli(Math.min(LATEST, criteria.maxTimestamp())));
    }
}
