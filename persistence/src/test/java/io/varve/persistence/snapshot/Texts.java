package io.varve.persistence.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.persistence.typed.DeleteEventsCompleted;
import org.apache.pekko.persistence.typed.DeleteSnapshotsCompleted;
import org.apache.pekko.persistence.typed.DeleteSnapshotsFailed;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.RecoveryCompleted;
import org.apache.pekko.persistence.typed.RecoveryFailed;
import org.apache.pekko.persistence.typed.SnapshotCompleted;
import org.apache.pekko.persistence.typed.SnapshotFailed;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;
import org.apache.pekko.persistence.typed.javadsl.RetentionCriteria;
import org.apache.pekko.persistence.typed.javadsl.SignalHandler;
import org.apache.pekko.testkit.javadsl.TestKit;

/** A typed entity whose state is all of its texts; its signals go to the test. */
final class Texts {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final ActorSystem system;
    private final TestKit states;
    private final TestKit signals;
    private final ActorRef entity;

    private Texts(ActorSystem system, String persistenceId, RetentionCriteria retention) {
        this.system = system;
        this.states = new TestKit(system);
        this.signals = new TestKit(system);
        this.entity = Adapter.toClassic(Adapter.spawnAnonymous(
                system, new TextsBehavior(persistenceId, retention, states.getRef(), signals.getRef())));
    }

    /** Starts the entity without waiting for its recovery. */
    static Texts start(ActorSystem system, String persistenceId, RetentionCriteria retention) {
        return new Texts(system, persistenceId, retention);
    }

    /** Adds one text, and returns the state with it. */
    String add(String text) {
        entity.tell(text, ActorRef.noSender());
        return states.expectMsgClass(PATIENCE, String.class);
    }

    void addAll(String... texts) {
        for (String text : texts) {
            add(text);
        }
    }

    /** The state and the number of events that were replayed for it. */
    Recovered recovered() {
        return expect(Recovered.class);
    }

    /** Why the recovery failed; the entity has stopped then. */
    Throwable recoveryFailure() {
        signals.watch(entity);
        Throwable failure = expect(RecoveryFailed.class).getFailure();
        signals.expectTerminated(PATIENCE, entity);
        return failure;
    }

    <T> T expect(Class<T> signal) {
        Object next = signals.receiveOne(PATIENCE);
        assertThat(next).isInstanceOf(signal);
        return signal.cast(next);
    }

    void stop() {
        signals.watch(entity);
        system.stop(entity);
        signals.expectTerminated(PATIENCE, entity);
    }

    /** The state after a recovery, and how many events were replayed. */
    record Recovered(String texts, int replayed) {}

    private static final class TextsBehavior extends EventSourcedBehavior<String, String, String> {
        private final RetentionCriteria retention;
        private final ActorRef states;
        private final ActorRef signals;
        private int replayed;

        TextsBehavior(String persistenceId, RetentionCriteria retention, ActorRef states, ActorRef signals) {
            super(PersistenceId.ofUniqueId(persistenceId));
            this.retention = retention;
            this.states = states;
            this.signals = signals;
        }

        @Override
        public String emptyState() {
            return "";
        }

        @Override
        public CommandHandler<String, String, String> commandHandler() {
            return (state, text) -> Effect().persist(text).thenRun(now -> states.tell(now, ActorRef.noSender()));
        }

        @Override
        public EventHandler<String, String> eventHandler() {
            return (state, text) -> {
                replayed++;
                return state + text;
            };
        }

        @Override
        public RetentionCriteria retentionCriteria() {
            return retention;
        }

        @Override
        public SignalHandler<String> signalHandler() {
            return newSignalHandlerBuilder()
                    .onSignal(RecoveryCompleted.instance(), state -> tell(new Recovered(state, replayed)))
                    .onSignal(RecoveryFailed.class, (state, signal) -> tell(signal))
                    .onSignal(SnapshotCompleted.class, (state, signal) -> tell(signal))
                    .onSignal(SnapshotFailed.class, (state, signal) -> tell(signal))
                    .onSignal(DeleteEventsCompleted.class, (state, signal) -> tell(signal))
                    .onSignal(DeleteSnapshotsCompleted.class, (state, signal) -> tell(signal))
                    .onSignal(DeleteSnapshotsFailed.class, (state, signal) -> tell(signal))
                    .build();
        }

        private void tell(Object message) {
            signals.tell(message, ActorRef.noSender());
        }
    }
}
