package io.varve.benchmark.driver;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.time.Duration;
import java.util.Map;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.pattern.Patterns;
import org.apache.pekko.persistence.DeleteSnapshotSuccess;
import org.apache.pekko.persistence.DeleteSnapshotsSuccess;
import org.apache.pekko.persistence.Persistence;
import org.apache.pekko.persistence.SaveSnapshotSuccess;
import org.apache.pekko.persistence.SnapshotMetadata;
import org.apache.pekko.persistence.SnapshotProtocol;
import org.apache.pekko.persistence.SnapshotSelectionCriteria;

/** Asks the snapshot store as a persistent actor would. */
final class Snapshots {
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final ActorRef store;

    Snapshots(ActorSystem system) {
        this.store = Persistence.get(system).snapshotStoreFor(ActorNode.SNAPSHOT_STORE, ConfigFactory.empty());
    }

    Map<String, ?> run(String command, Config arguments) throws Exception {
        String id = arguments.getString("id");
        long number = arguments.getLong("number");
        SnapshotMetadata metadata = new SnapshotMetadata(id, number, 0);
        return switch (command) {
            case "saveSnapshot" -> save(metadata, arguments.getInt("bytes"));
            case "loadSnapshot" ->
                load(id, SnapshotSelectionCriteria.create(number, arguments.getLong("maxTimestamp")));
            case "deleteSnapshot" -> {
                ask(new SnapshotProtocol.DeleteSnapshot(metadata), DeleteSnapshotSuccess.class);
                yield Map.of();
            }
            case "deleteSnapshots" -> {
                SnapshotSelectionCriteria upTo = SnapshotSelectionCriteria.create(number, Long.MAX_VALUE);
                ask(new SnapshotProtocol.DeleteSnapshots(id, upTo), DeleteSnapshotsSuccess.class);
                yield Map.of();
            }
            default -> throw new IllegalArgumentException("There is no command " + command);
        };
    }

    /** The store decides on the timestamp. */
    private Map<String, ?> save(SnapshotMetadata metadata, int bytes) throws Exception {
        SaveSnapshotSuccess saved =
                ask(new SnapshotProtocol.SaveSnapshot(metadata, "x".repeat(bytes)), SaveSnapshotSuccess.class);
        return Map.of("timestamp", saved.metadata().timestamp());
    }

    private Map<String, ?> load(String id, SnapshotSelectionCriteria criteria) throws Exception {
        SnapshotProtocol.LoadSnapshotResult result = ask(
                new SnapshotProtocol.LoadSnapshot(id, criteria, Long.MAX_VALUE),
                SnapshotProtocol.LoadSnapshotResult.class);
        if (result.snapshot().isEmpty()) {
            throw new IllegalStateException("There is no snapshot of " + id);
        }
        return Map.of("number", result.snapshot().get().metadata().sequenceNr());
    }

    private <T> T ask(Object message, Class<T> expected) throws Exception {
        Object answer = ActorNode.await(Patterns.ask(store, message, TIMEOUT));
        if (!expected.isInstance(answer)) {
            throw new IllegalStateException("The snapshot store answered " + answer);
        }
        return expected.cast(answer);
    }
}
