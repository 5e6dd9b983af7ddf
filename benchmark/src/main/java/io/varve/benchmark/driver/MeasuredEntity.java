package io.varve.benchmark.driver;

import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.actor.Props;
import org.apache.pekko.persistence.AbstractPersistentActor;
import org.apache.pekko.persistence.DeleteMessagesFailure;
import org.apache.pekko.persistence.DeleteMessagesSuccess;
import org.apache.pekko.persistence.Recovery;
import org.apache.pekko.persistence.RecoveryCompleted;
import org.apache.pekko.persistence.SnapshotSelectionCriteria;
import scala.Option;

/** An ordinary classic persistent actor that persists what it is told. */
final class MeasuredEntity extends AbstractPersistentActor {

    /** Persists an event some times: in one atomic write, or asynchronously one by one. */
    record Write(Object event, int times, boolean async, ClosedLoop.Outcome outcome) {}

    /** Deletes events up to a sequence number. */
    record Delete(long toSequenceNumber, CompletableFuture<Long> done) {}

    private final String persistenceId;
    private final boolean snapshots;
    private final CompletableFuture<Long> recovered;
    private long events;
    private int left;
    private CompletableFuture<Long> deletion = new CompletableFuture<>();
    private ClosedLoop.Outcome current = new Waiting(new CompletableFuture<>());

    private MeasuredEntity(String persistenceId, boolean snapshots, CompletableFuture<Long> recovered) {
        this.persistenceId = persistenceId;
        this.snapshots = snapshots;
        this.recovered = recovered;
    }

    /** The future tells how many events were replayed. */
    static Props props(String persistenceId, boolean snapshots, CompletableFuture<Long> recovered) {
        return Props.create(MeasuredEntity.class, () -> new MeasuredEntity(persistenceId, snapshots, recovered));
    }

    @Override
    public String persistenceId() {
        return persistenceId;
    }

    @Override
    public String snapshotPluginId() {
        return snapshots ? ActorNode.SNAPSHOT_STORE : "pekko.persistence.no-snapshot-store";
    }

    @Override
    public Recovery recovery() {
        return snapshots ? Recovery.create() : Recovery.create(SnapshotSelectionCriteria.none());
    }

    @Override
    public Receive createReceiveRecover() {
        return receiveBuilder()
                .match(RecoveryCompleted.class, completed -> recovered.complete(events))
                .match(String.class, event -> events++)
                .matchAny(snapshot -> {})
                .build();
    }

    @Override
    public Receive createReceive() {
        return receiveBuilder()
                .match(Write.class, this::write)
                .match(Delete.class, this::delete)
                .match(DeleteMessagesSuccess.class, success -> deletion.complete(success.toSequenceNr()))
                .match(DeleteMessagesFailure.class, failure -> deletion.completeExceptionally(failure.cause()))
                .build();
    }

    private void write(Write write) {
        current = write.outcome();
        left = write.times();
        if (write.times() == 1) {
            persist(write.event(), event -> stored());
        } else if (write.async()) {
            for (int i = 0; i < write.times(); i++) {
                persistAsync(write.event(), event -> stored());
            }
        } else {
            persistAll(Collections.nCopies(write.times(), write.event()), event -> stored());
        }
    }

    private void stored() {
        left--;
        if (left == 0) {
            current.persisted();
        }
    }

    private void delete(Delete delete) {
        deletion = delete.done();
        deleteMessages(delete.toSequenceNumber());
    }

    @Override
    public void onPersistRejected(Throwable cause, Object event, long sequenceNumber) {
        current.failed(cause);
    }

    @Override
    public void onPersistFailure(Throwable cause, Object event, long sequenceNumber) {
        current.failed(cause);
    }

    @Override
    public void onRecoveryFailure(Throwable cause, Option<Object> event) {
        recovered.completeExceptionally(cause);
    }

    /** An outcome that someone waits for. */
    record Waiting(CompletableFuture<Boolean> done) implements ClosedLoop.Outcome {
        @Override
        public void persisted() {
            done.complete(true);
        }

        @Override
        public void failed(Throwable cause) {
            done.completeExceptionally(cause);
        }
    }
}
