package io.varve.simulation.failsonce.pekko;

import io.varve.simulation.failsonce.pekko.Entity.DeleteEvents;
import io.varve.simulation.failsonce.pekko.Entity.DeleteStates;
import io.varve.simulation.failsonce.pekko.Entity.Persist;
import io.varve.simulation.failsonce.pekko.Entity.PersistAsync;
import io.varve.simulation.failsonce.pekko.Entity.PersistTooLarge;
import io.varve.simulation.failsonce.pekko.Entity.Recovered;
import io.varve.simulation.failsonce.pekko.Entity.Reports;
import io.varve.simulation.failsonce.pekko.Entity.SaveState;
import io.varve.simulation.failsonce.pekko.Entity.SavedState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.Props;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.persistence.AbstractPersistentActor;
import org.apache.pekko.persistence.DeleteMessagesFailure;
import org.apache.pekko.persistence.DeleteMessagesSuccess;
import org.apache.pekko.persistence.DeleteSnapshotFailure;
import org.apache.pekko.persistence.DeleteSnapshotSuccess;
import org.apache.pekko.persistence.DeleteSnapshotsFailure;
import org.apache.pekko.persistence.DeleteSnapshotsSuccess;
import org.apache.pekko.persistence.Recovery;
import org.apache.pekko.persistence.RecoveryCompleted;
import org.apache.pekko.persistence.SaveSnapshotFailure;
import org.apache.pekko.persistence.SaveSnapshotSuccess;
import org.apache.pekko.persistence.SnapshotOffer;
import org.apache.pekko.persistence.SnapshotSelectionCriteria;
import scala.Option;

/** A classic persistent actor, which can be asked for all that journal and snapshot store do. */
final class ClassicEntity extends AbstractPersistentActor {
    private static final int TOO_LARGE = 410_000;

    private final String id;
    private final Recovery recovery;
    private final Reports reports;
    private final List<String> events = new ArrayList<>();
    private Optional<SavedState> snapshot = Optional.empty();
    private CompletableFuture<Long> deletingOrSaving = new CompletableFuture<>();
    private CompletableFuture<Long> rejecting = new CompletableFuture<>();

    ClassicEntity(String id, Recovery recovery, Reports reports) {
        this.id = id;
        this.recovery = recovery;
        this.reports = reports;
    }

    /** Starts one that replays all its events. */
    static ActorRef start(org.apache.pekko.actor.typed.javadsl.ActorContext<?> parent, String id, Reports reports) {
        return start(parent, id, reports, Recovery.create(SnapshotSelectionCriteria.none()));
    }

    /** Starts one that begins with its latest snapshot. */
    static ActorRef startFromSnapshot(
            org.apache.pekko.actor.typed.javadsl.ActorContext<?> parent, String id, Reports reports) {
        return start(parent, id, reports, Recovery.create());
    }

    private static ActorRef start(
            org.apache.pekko.actor.typed.javadsl.ActorContext<?> parent,
            String id,
            Reports reports,
            Recovery recovery) {
        return Adapter.actorOf(
                parent, Props.create(ClassicEntity.class, () -> new ClassicEntity(id, recovery, reports)));
    }

    @Override
    public String persistenceId() {
        return id;
    }

    @Override
    public Recovery recovery() {
        return recovery;
    }

    @Override
    public Receive createReceiveRecover() {
        return receiveBuilder()
                .match(
                        SnapshotOffer.class,
                        offer -> snapshot =
                                Optional.of(new SavedState(offer.metadata().sequenceNr(), (String) offer.snapshot())))
                .match(
                        RecoveryCompleted.class,
                        completed -> reports.recovered()
                                .complete(new Recovered(snapshot, List.copyOf(events), lastSequenceNr())))
                .match(String.class, events::add)
                .build();
    }

    @Override
    public Receive createReceive() {
        return receiveBuilder()
                .match(Persist.class, this::persistAll)
                .match(PersistAsync.class, this::persistEach)
                .match(PersistTooLarge.class, this::persistTooLarge)
                .match(DeleteEvents.class, command -> {
                    deletingOrSaving = command.answer();
                    deleteMessages(command.to());
                })
                .match(SaveState.class, command -> {
                    deletingOrSaving = command.answer();
                    saveSnapshot(command.text());
                })
                .match(DeleteStates.class, this::deleteStates)
                .match(DeleteMessagesSuccess.class, success -> succeeded())
                .match(DeleteMessagesFailure.class, failure -> failed(failure.cause()))
                .match(SaveSnapshotSuccess.class, success -> succeeded())
                .match(SaveSnapshotFailure.class, failure -> failed(failure.cause()))
                .match(DeleteSnapshotSuccess.class, success -> succeeded())
                .match(DeleteSnapshotFailure.class, failure -> failed(failure.cause()))
                .match(DeleteSnapshotsSuccess.class, success -> succeeded())
                .match(DeleteSnapshotsFailure.class, failure -> failed(failure.cause()))
                .build();
    }

    private void persistAll(Persist command) {
        long last = lastSequenceNr() + command.texts().size();
        persistAll(command.texts(), stored -> {
            if (lastSequenceNr() == last) {
                command.answer().complete(last);
            }
        });
    }

    private void persistEach(PersistAsync command) {
        for (int i = 0; i < command.texts().size(); i++) {
            CompletableFuture<Long> answer = command.answers().get(i);
            persistAsync(command.texts().get(i), stored -> answer.complete(lastSequenceNr()));
        }
    }

    private void persistTooLarge(PersistTooLarge command) {
        rejecting = command.answer();
        persist(
                command.text() + "x".repeat(TOO_LARGE),
                stored -> rejecting.completeExceptionally(new IllegalStateException("It was stored.")));
    }

    private void deleteStates(DeleteStates command) {
        deletingOrSaving = command.answer();
        if (command.from() == command.to()) {
            deleteSnapshot(command.from());
        } else {
            deleteSnapshots(SnapshotSelectionCriteria.create(command.to(), Long.MAX_VALUE));
        }
    }

    private void succeeded() {
        deletingOrSaving.complete(lastSequenceNr());
    }

    private void failed(Throwable cause) {
        deletingOrSaving.completeExceptionally(cause);
    }

    @Override
    public void onPersistRejected(Throwable cause, Object event, long sequenceNumber) {
        rejecting.complete(sequenceNumber);
    }

    @Override
    public void onPersistFailure(Throwable cause, Object event, long sequenceNumber) {
        reports.failed().completeExceptionally(cause);
    }

    @Override
    public void onRecoveryFailure(Throwable cause, Option<Object> event) {
        reports.failed().completeExceptionally(cause);
    }
}
