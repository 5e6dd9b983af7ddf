package io.varve.interop.peer;

import com.typesafe.config.ConfigFactory;
import io.varve.interop.peer.EntityActor.Delete;
import io.varve.interop.peer.EntityActor.Outcome;
import io.varve.interop.peer.EntityActor.Write;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.pattern.Patterns;
import org.apache.pekko.persistence.DeleteSnapshotSuccess;
import org.apache.pekko.persistence.DeleteSnapshotsSuccess;
import org.apache.pekko.persistence.Persistence;
import org.apache.pekko.persistence.SaveSnapshotSuccess;
import org.apache.pekko.persistence.SelectedSnapshot;
import org.apache.pekko.persistence.SnapshotMetadata;
import org.apache.pekko.persistence.SnapshotProtocol;
import org.apache.pekko.persistence.SnapshotSelectionCriteria;
import scala.Option;

/** A node in this JVM: an actor system on the journal that its config names. Not for concurrent use. */
public final class LocalJournalDriver implements JournalDriver {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private static final String SNAPSHOT_STORE = "dynamodb-snapshot-store";

    private final ActorSystem system;
    private final Map<String, ActorRef> actors = new HashMap<>();

    private LocalJournalDriver(ActorSystem system) {
        this.system = system;
    }

    /** Starts a node; the config's text stands above the libraries' own. */
    public static LocalJournalDriver open(String config) {
        return new LocalJournalDriver(
                ActorSystem.create("interop", ConfigFactory.parseString(config).withFallback(ConfigFactory.load())));
    }

    @Override
    public Recovered recoverTo(String persistenceId, long toSequenceNumber, long max) {
        stop(persistenceId);
        CompletableFuture<Recovered> recovered = new CompletableFuture<>();
        actors.put(persistenceId, system.actorOf(EntityActor.props(persistenceId, toSequenceNumber, max, recovered)));
        return await("recover", persistenceId, recovered);
    }

    @Override
    public long persist(String persistenceId, String payload) {
        return persistAll(persistenceId, List.of(payload));
    }

    @Override
    public long persistAll(String persistenceId, List<String> payloads) {
        Outcome outcome = write(persistenceId, objects(payloads));
        if (outcome.stored() != payloads.size()) {
            throw new JournalDriverException("%s: %s of %d events".formatted(persistenceId, outcome, payloads.size()));
        }
        return outcome.lastSequenceNumber();
    }

    @Override
    public long persistAllRejected(String persistenceId, List<String> payloads, int rejectedIndex) {
        List<Object> batch = objects(payloads);
        batch.add(rejectedIndex, new Unserializable());
        Outcome outcome = write(persistenceId, batch);
        if (outcome.rejected() != batch.size()) {
            throw new JournalDriverException(
                    "%s: not rejected: %s of %d events".formatted(persistenceId, outcome, batch.size()));
        }
        return outcome.lastSequenceNumber();
    }

    @Override
    public void delete(String persistenceId, long toSequenceNumber) {
        CompletableFuture<Long> done = new CompletableFuture<>();
        actor(persistenceId).tell(new Delete(toSequenceNumber, done), ActorRef.noSender());
        await("delete", persistenceId, done);
    }

    @Override
    public void saveSnapshot(String persistenceId, long sequenceNumber, String payload) {
        SnapshotMetadata metadata = new SnapshotMetadata(persistenceId, sequenceNumber, 0);
        ask(
                "save snapshot",
                persistenceId,
                new SnapshotProtocol.SaveSnapshot(metadata, PayloadText.fromText(payload)),
                SaveSnapshotSuccess.class);
    }

    @Override
    public Optional<StoredSnapshot> loadSnapshot(String persistenceId, long maxSequenceNumber, long maxTimestamp) {
        SnapshotSelectionCriteria criteria = SnapshotSelectionCriteria.create(maxSequenceNumber, maxTimestamp);
        Option<SelectedSnapshot> found = ask(
                        "load snapshot",
                        persistenceId,
                        new SnapshotProtocol.LoadSnapshot(persistenceId, criteria, Long.MAX_VALUE),
                        SnapshotProtocol.LoadSnapshotResult.class)
                .snapshot();
        return found.isEmpty()
                ? Optional.empty()
                : Optional.of(new StoredSnapshot(
                        found.get().metadata().sequenceNr(),
                        found.get().metadata().timestamp(),
                        PayloadText.toText(found.get().snapshot())));
    }

    @Override
    public void deleteSnapshot(String persistenceId, long sequenceNumber) {
        ask(
                "delete snapshot",
                persistenceId,
                new SnapshotProtocol.DeleteSnapshot(new SnapshotMetadata(persistenceId, sequenceNumber, 0)),
                DeleteSnapshotSuccess.class);
    }

    @Override
    public void deleteSnapshots(String persistenceId, long maxSequenceNumber, long maxTimestamp) {
        SnapshotSelectionCriteria criteria = SnapshotSelectionCriteria.create(maxSequenceNumber, maxTimestamp);
        ask(
                "delete snapshots",
                persistenceId,
                new SnapshotProtocol.DeleteSnapshots(persistenceId, criteria),
                DeleteSnapshotsSuccess.class);
    }

    /** Asks the snapshot store as an actor of Pekko's would, and fails for any other answer. */
    private <T> T ask(String operation, String persistenceId, Object message, Class<T> expected) {
        ActorRef store = Persistence.get(system).snapshotStoreFor(SNAPSHOT_STORE, ConfigFactory.empty());
        Object answer = await(operation, persistenceId, Patterns.ask(store, message, TIMEOUT));
        if (!expected.isInstance(answer)) {
            throw new JournalDriverException(operation + " of " + persistenceId + ": " + answer);
        }
        return expected.cast(answer);
    }

    @Override
    public void stop(String persistenceId) {
        ActorRef actor = actors.remove(persistenceId);
        if (actor != null) {
            await("stop", persistenceId, Patterns.gracefulStop(actor, TIMEOUT));
        }
    }

    @Override
    public void close() {
        system.terminate();
        await("terminate", system.name(), system.getWhenTerminated());
    }

    private Outcome write(String persistenceId, List<Object> payloads) {
        Write write = new Write(payloads);
        actor(persistenceId).tell(write, ActorRef.noSender());
        return await("persist", persistenceId, write.done);
    }

    private static List<Object> objects(List<String> payloads) {
        return payloads.stream().map(PayloadText::fromText).collect(Collectors.toCollection(ArrayList::new));
    }

    private ActorRef actor(String persistenceId) {
        ActorRef actor = actors.get(persistenceId);
        if (actor == null) {
            throw new JournalDriverException("%s is not running".formatted(persistenceId));
        }
        return actor;
    }

    private static <T> T await(String operation, String subject, CompletionStage<T> answer) {
        String what = operation + " of " + subject;
        try {
            return answer.toCompletableFuture().get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new JournalDriverException(what + " failed: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new JournalDriverException(what + " was not answered in " + TIMEOUT.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JournalDriverException(what + " was interrupted", e);
        }
    }

    /** A payload that no serializer takes. */
    private static final class Unserializable {}
}
