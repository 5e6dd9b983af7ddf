package io.varve.interop.peer;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.actor.Props;
import org.apache.pekko.persistence.AbstractPersistentActor;
import org.apache.pekko.persistence.DeleteMessagesFailure;
import org.apache.pekko.persistence.DeleteMessagesSuccess;
import org.apache.pekko.persistence.Recovery;
import org.apache.pekko.persistence.RecoveryCompleted;
import org.apache.pekko.persistence.SnapshotSelectionCriteria;
import scala.Option;

/** An ordinary classic persistent actor: it remembers what it recovered and answers each command with what the journal said. */
final class EntityActor extends AbstractPersistentActor {

    private static final String NO_SNAPSHOTS = "pekko.persistence.no-snapshot-store";

    private final String persistenceId;
    private final long toSequenceNumber;
    private final long max;
    private final CompletableFuture<Recovered> recovered;
    private final List<Recovered.Event> events = new ArrayList<>();
    private Write write = new Write(List.of());
    private CompletableFuture<Long> deletion = new CompletableFuture<>();

    private EntityActor(String persistenceId, long toSequenceNumber, long max, CompletableFuture<Recovered> recovered) {
        this.persistenceId = persistenceId;
        this.toSequenceNumber = toSequenceNumber;
        this.max = max;
        this.recovered = recovered;
    }

    static Props props(String persistenceId, long toSequenceNumber, long max, CompletableFuture<Recovered> recovered) {
        return Props.create(EntityActor.class, () -> new EntityActor(persistenceId, toSequenceNumber, max, recovered));
    }

    @Override
    public String persistenceId() {
        return persistenceId;
    }

    @Override
    public String snapshotPluginId() {
        return NO_SNAPSHOTS;
    }

    @Override
    public Recovery recovery() {
        return Recovery.create(SnapshotSelectionCriteria.none(), toSequenceNumber, max);
    }

    @Override
    public Receive createReceiveRecover() {
        return receiveBuilder()
                .match(
                        RecoveryCompleted.class,
                        completed -> recovered.complete(new Recovered(events, lastSequenceNr())))
                .matchAny(payload -> events.add(new Recovered.Event(lastSequenceNr(), PayloadText.toText(payload))))
                .build();
    }

    @Override
    public Receive createReceive() {
        return receiveBuilder()
                .match(Write.class, this::persist)
                .match(Delete.class, this::delete)
                .match(DeleteMessagesSuccess.class, success -> deletion.complete(success.toSequenceNr()))
                .match(DeleteMessagesFailure.class, failure -> deletion.completeExceptionally(failure.cause()))
                .build();
    }

    private void persist(Write command) {
        write = command;
        if (command.payloads.size() == 1) {
            persist(command.payloads.get(0), payload -> command.stored(lastSequenceNr()));
        } else {
            persistAll(command.payloads, payload -> command.stored(lastSequenceNr()));
        }
    }

    private void delete(Delete command) {
        deletion = command.done;
        deleteMessages(command.toSequenceNumber);
    }

    @Override
    public void onPersistRejected(Throwable cause, Object event, long sequenceNumber) {
        write.rejected(sequenceNumber);
    }

    @Override
    public void onPersistFailure(Throwable cause, Object event, long sequenceNumber) {
        write.done.completeExceptionally(cause);
    }

    @Override
    public void onRecoveryFailure(Throwable cause, Option<Object> event) {
        recovered.completeExceptionally(cause);
    }

    /** What became of a write: how many of its events were stored and rejected, and the last sequence number. */
    record Outcome(int stored, int rejected, long lastSequenceNumber) {}

    /** Persists the payloads as one atomic write. */
    static final class Write {
        final CompletableFuture<Outcome> done = new CompletableFuture<>();
        private final List<Object> payloads;
        private int stored;
        private int rejected;

        Write(List<Object> payloads) {
            this.payloads = List.copyOf(payloads);
        }

        private void stored(long sequenceNumber) {
            stored++;
            completeIfLast(sequenceNumber);
        }

        private void rejected(long sequenceNumber) {
            rejected++;
            completeIfLast(sequenceNumber);
        }

        private void completeIfLast(long sequenceNumber) {
            if (stored + rejected == payloads.size()) {
                done.complete(new Outcome(stored, rejected, sequenceNumber));
            }
        }
    }

    /** Deletes events up to a sequence number. */
    record Delete(long toSequenceNumber, CompletableFuture<Long> done) {}
}
