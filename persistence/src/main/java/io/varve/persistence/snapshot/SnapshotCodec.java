package io.varve.persistence.snapshot;

import io.varve.persistence.internal.serialization.Payloads;
import io.varve.store.VarveException;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.layout.Payload;
import io.varve.store.internal.snapshot.Snapshot;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.persistence.SelectedSnapshot;
import org.apache.pekko.persistence.SnapshotMetadata;
import scala.Option;

/** Pekko's snapshots to the store's, and back. */
final class SnapshotCodec {
    private final Payloads payloads;

    SnapshotCodec(ActorSystem system) {
        this.payloads = new Payloads(system);
    }

    CompletionStage<Snapshot> encode(SnapshotMetadata metadata, Object snapshot) {
        return payloads.serialize(snapshot)
                .thenCombine(
                        metadata.metadata().isDefined()
                                ? payloads.serialize(metadata.metadata().get()).thenApply(Optional::of)
                                : CompletableFuture.completedFuture(Optional.<Payload>empty()),
                        (payload, meta) -> new Snapshot(
                                metadata.persistenceId(),
                                metadata.sequenceNr(),
                                Instant.ofEpochMilli(metadata.timestamp()),
                                payload,
                                meta,
                                false));
    }

    CompletionStage<SelectedSnapshot> decode(Snapshot snapshot) {
        return payloads.deserialize(snapshot.payload())
                .thenApply(data ->
                        snapshot.legacy() ? ((org.apache.pekko.persistence.serialization.Snapshot) data).data() : data)
                .thenCombine(metadata(snapshot), (data, metadata) -> new SelectedSnapshot(metadata, data))
                .exceptionally(thrown -> {
                    throw new VarveException(
                            "The snapshot " + snapshot.sequenceNumber() + " of '" + snapshot.persistenceId()
                                    + "' cannot be deserialized (serializer "
                                    + snapshot.payload().serializerId() + ", manifest '"
                                    + snapshot.payload().manifest()
                                    + "'): register a serializer that reads it under that identifier, delete the snapshot, or"
                                    + " set load-older-on-failure = on.",
                            Causes.unwrap(thrown));
                });
    }

    private CompletionStage<SnapshotMetadata> metadata(Snapshot snapshot) {
        CompletionStage<Option<Object>> metadata = snapshot.metadata().isPresent()
                ? payloads.deserialize(snapshot.metadata().get()).thenApply(Option::apply)
                : CompletableFuture.completedFuture(Option.empty());
        return metadata.thenApply(found -> new SnapshotMetadata(
                snapshot.persistenceId(),
                snapshot.sequenceNumber(),
                snapshot.timestamp().toEpochMilli(),
                found));
    }
}
