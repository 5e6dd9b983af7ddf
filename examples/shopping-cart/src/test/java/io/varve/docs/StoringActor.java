package io.varve.docs;

import io.varve.docs.StoringActor.Command.DeleteEvents;
import io.varve.docs.StoringActor.Command.DeleteSnapshots;
import io.varve.docs.StoringActor.Command.Recover;
import io.varve.docs.StoringActor.Command.SaveSnapshot;
import io.varve.docs.StoringActor.Command.Store;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.Props;
import org.apache.pekko.actor.Status;
import org.apache.pekko.persistence.AbstractPersistentActor;
import org.apache.pekko.persistence.DeleteMessagesFailure;
import org.apache.pekko.persistence.DeleteMessagesSuccess;
import org.apache.pekko.persistence.DeleteSnapshotsFailure;
import org.apache.pekko.persistence.DeleteSnapshotsSuccess;
import org.apache.pekko.persistence.SaveSnapshotFailure;
import org.apache.pekko.persistence.SaveSnapshotSuccess;
import org.apache.pekko.persistence.SnapshotOffer;
import org.apache.pekko.persistence.SnapshotSelectionCriteria;
import org.apache.pekko.persistence.journal.Tagged;
import scala.Option;

/** Does with journal and snapshots what it is told, and answers with the number of its last event, or with what went wrong. */
final class StoringActor extends AbstractPersistentActor {
    private final String persistenceId;
    private ActorRef asking = ActorRef.noSender();

    private StoringActor(String persistenceId) {
        this.persistenceId = persistenceId;
    }

    static Props props(String persistenceId) {
        return Props.create(StoringActor.class, () -> new StoringActor(persistenceId));
    }

    /** What it can be told. */
    sealed interface Command {
        /** Answer when you are recovered. */
        record Recover() implements Command {}

        /** Store so many events at once, with tags. */
        record Store(int events, Set<String> tags) implements Command {}

        /** Delete the events up to a number. */
        record DeleteEvents(long to) implements Command {}

        /** Save a snapshot of so many characters. */
        record SaveSnapshot(int size) implements Command {}

        /** Delete all snapshots up to a number. */
        record DeleteSnapshots(long to) implements Command {}
    }

    @Override
    public String persistenceId() {
        return persistenceId;
    }

    @Override
    public Receive createReceiveRecover() {
        return receiveBuilder().match(SnapshotOffer.class, offer -> {}).build();
    }

    @Override
    public Receive createReceive() {
        return receiveBuilder()
                .match(Recover.class, recovered -> getSender().tell(lastSequenceNr(), getSelf()))
                .match(Store.class, this::store)
                .match(DeleteEvents.class, delete -> {
                    asking = getSender();
                    deleteMessages(delete.to());
                })
                .match(SaveSnapshot.class, save -> {
                    asking = getSender();
                    saveSnapshot("s".repeat(save.size()));
                })
                .match(DeleteSnapshots.class, delete -> {
                    asking = getSender();
                    deleteSnapshots(SnapshotSelectionCriteria.create(delete.to(), Long.MAX_VALUE));
                })
                .match(DeleteMessagesSuccess.class, done -> asking.tell(lastSequenceNr(), getSelf()))
                .match(SaveSnapshotSuccess.class, done -> asking.tell(lastSequenceNr(), getSelf()))
                .match(DeleteSnapshotsSuccess.class, done -> asking.tell(lastSequenceNr(), getSelf()))
                .match(DeleteMessagesFailure.class, failed -> fail(failed.cause()))
                .match(SaveSnapshotFailure.class, failed -> fail(failed.cause()))
                .match(DeleteSnapshotsFailure.class, failed -> fail(failed.cause()))
                .build();
    }

    private void store(Store store) {
        asking = getSender();
        List<Object> events = Stream.generate(() -> (Object) "event")
                .limit(store.events())
                .map(event -> store.tags().isEmpty() ? event : new Tagged(event, store.tags()))
                .toList();
        persistAll(events, stored -> {});
        deferAsync("all are stored", done -> asking.tell(lastSequenceNr(), getSelf()));
    }

    private void fail(Throwable cause) {
        asking.tell(new Status.Failure(cause), getSelf());
    }

    @Override
    public void onPersistFailure(Throwable cause, Object event, long number) {
        fail(cause);
    }

    @Override
    public void onRecoveryFailure(Throwable cause, Option<Object> event) {
        getContext().getSystem().log().debug("{} cannot recover: {}", persistenceId, cause.getMessage());
    }
}
