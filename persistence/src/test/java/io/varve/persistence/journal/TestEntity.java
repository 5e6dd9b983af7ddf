package io.varve.persistence.journal;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;
import org.apache.pekko.persistence.AbstractPersistentActor;
import org.apache.pekko.persistence.DeleteMessagesFailure;
import org.apache.pekko.persistence.DeleteMessagesSuccess;
import org.apache.pekko.persistence.Recovery;
import org.apache.pekko.persistence.RecoveryCompleted;
import org.apache.pekko.persistence.RuntimePluginConfig;
import org.apache.pekko.persistence.SaveSnapshotSuccess;
import org.apache.pekko.persistence.SnapshotOffer;
import org.apache.pekko.persistence.SnapshotSelectionCriteria;
import org.apache.pekko.testkit.javadsl.TestKit;
import scala.Option;

/** A classic persistent actor, seen from outside: it reports everything that happens to it. */
public final class TestEntity {
    /** How long anything may take that is expected to happen. */
    public static final Duration PATIENCE = Duration.ofSeconds(30);

    private final TestKit probe;
    private final ActorRef actor;

    private TestEntity(TestKit probe, ActorRef actor) {
        this.probe = probe;
        this.actor = actor;
    }

    /** What happened to an entity. */
    public sealed interface Report {}

    public record Recovered(List<Object> events, long highest) implements Report {}

    public record RecoveryFailed(Throwable reason) implements Report {}

    public record Stored(Object event, long sequenceNumber) implements Report {}

    public record Rejected(Throwable reason, Object event, long sequenceNumber) implements Report {}

    public record Failed(Throwable reason, Object event, long sequenceNumber) implements Report {}

    public record Deleted(long to) implements Report {}

    public record SnapshotTaken(long sequenceNumber) implements Report {}

    public record DeletionFailed(Throwable reason, long to) implements Report {}

    /**
     * How an entity is started.
     *
     * @param snapshotAt the sequence number after which it takes a snapshot; 0 for never
     */
    public record Options(String persistenceId, String journal, Config runtime, Recovery recovery, long snapshotAt) {
        public static Options of(String persistenceId) {
            return new Options(
                    persistenceId, "", ConfigFactory.empty(), Recovery.create(SnapshotSelectionCriteria.none()), 0);
        }

        /** With recovery from the latest snapshot, and a new one at a sequence number. */
        public Options withSnapshots(long at) {
            return new Options(persistenceId, journal, runtime, Recovery.create(), at);
        }

        public Options withJournal(String plugin) {
            return new Options(persistenceId, plugin, runtime, recovery, snapshotAt);
        }

        public Options withRuntimeConfig(Config config) {
            return new Options(persistenceId, journal, config, recovery, snapshotAt);
        }

        public Options withRecovery(Recovery other) {
            return new Options(persistenceId, journal, runtime, other, snapshotAt);
        }
    }

    private enum Way {
        ONE_BY_ONE,
        ALL,
        ASYNC
    }

    private record Persist(Way way, List<Object> events) {}

    private record Delete(long to) {}

    private record Fail() {}

    /** A persistence id that no other test has. */
    public static String freshId() {
        return "entity-" + UUID.randomUUID();
    }

    /** The texts e{first}, …, e{last}. */
    public static List<Object> events(int first, int last) {
        return IntStream.rangeClosed(first, last).<Object>mapToObj(i -> "e" + i).toList();
    }

    public static TestEntity start(ActorSystem system, String persistenceId) {
        return start(system, Options.of(persistenceId));
    }

    public static TestEntity start(ActorSystem system, Options options) {
        TestKit probe = new TestKit(system);
        return new TestEntity(probe, probe.watch(system.actorOf(props(options, probe.getRef()))));
    }

    /** What the entity of this id recovers now. */
    public static List<Object> recover(ActorSystem system, String persistenceId) {
        TestEntity entity = start(system, persistenceId);
        List<Object> events = entity.recovered().events();
        entity.stop();
        return events;
    }

    public Recovered recovered() {
        return expect(Recovered.class);
    }

    /** Asks for {@code persist} of each of these events, in one command. */
    public TestEntity persist(Object... events) {
        return tell(Way.ONE_BY_ONE, List.of(events));
    }

    public TestEntity persistAll(List<?> events) {
        return tell(Way.ALL, events);
    }

    public TestEntity persistAsync(List<?> events) {
        return tell(Way.ASYNC, events);
    }

    private TestEntity tell(Way way, List<?> events) {
        actor.tell(new Persist(way, List.copyOf(events)), ActorRef.noSender());
        return this;
    }

    public TestEntity delete(long to) {
        actor.tell(new Delete(to), ActorRef.noSender());
        return this;
    }

    /** Makes the actor throw, and its supervisor restart it. */
    public TestEntity fail() {
        actor.tell(new Fail(), ActorRef.noSender());
        return this;
    }

    public <T extends Report> T expect(Class<T> type) {
        return probe.expectMsgClass(PATIENCE, type);
    }

    public List<Stored> expectStored(int count) {
        return IntStream.range(0, count).mapToObj(i -> expect(Stored.class)).toList();
    }

    public void expectStopped() {
        probe.expectTerminated(PATIENCE, actor);
    }

    /** Stops the actor at once, also while it is waiting for the journal. */
    public void stop() {
        probe.getSystem().stop(actor);
        expectStopped();
    }

    private static Props props(Options options, ActorRef observer) {
        return Props.create(PersistentEntity.class, () -> create(options, observer));
    }

    /** Pekko asks for the plugin before the constructor has run: only what an inner class captures is there by then. */
    private static PersistentEntity create(Options options, ActorRef observer) {
        return new PersistentEntity(options, observer) {
            @Override
            public String journalPluginId() {
                return options.journal();
            }

            @Override
            public Config journalPluginConfig() {
                return options.runtime();
            }
        };
    }

    private abstract static class PersistentEntity extends AbstractPersistentActor implements RuntimePluginConfig {
        private final Options options;
        private final ActorRef observer;
        private final List<Object> events = new ArrayList<>();

        PersistentEntity(Options options, ActorRef observer) {
            this.options = options;
            this.observer = observer;
        }

        @Override
        public String persistenceId() {
            return options.persistenceId();
        }

        @Override
        public Config snapshotPluginConfig() {
            return ConfigFactory.empty();
        }

        @Override
        public Recovery recovery() {
            return options.recovery();
        }

        @Override
        public Receive createReceiveRecover() {
            return receiveBuilder()
                    .match(
                            RecoveryCompleted.class,
                            completed -> report(new Recovered(List.copyOf(events), lastSequenceNr())))
                    .match(SnapshotOffer.class, offer -> events.addAll((List<?>) offer.snapshot()))
                    .matchAny(events::add)
                    .build();
        }

        @Override
        public Receive createReceive() {
            return receiveBuilder()
                    .match(Persist.class, this::persist)
                    .match(Delete.class, command -> deleteMessages(command.to()))
                    .match(DeleteMessagesSuccess.class, success -> report(new Deleted(success.toSequenceNr())))
                    .match(
                            DeleteMessagesFailure.class,
                            failure -> report(new DeletionFailed(failure.cause(), failure.toSequenceNr())))
                    .match(
                            SaveSnapshotSuccess.class,
                            saved -> report(new SnapshotTaken(saved.metadata().sequenceNr())))
                    .match(Fail.class, command -> {
                        throw new IllegalStateException("asked for by the test");
                    })
                    .build();
        }

        private void persist(Persist command) {
            switch (command.way()) {
                case ONE_BY_ONE -> command.events().forEach(event -> persist(event, this::stored));
                case ALL -> persistAll(command.events(), this::stored);
                case ASYNC -> command.events().forEach(event -> persistAsync(event, this::stored));
            }
        }

        private void stored(Object event) {
            events.add(event);
            report(new Stored(event, lastSequenceNr()));
            if (lastSequenceNr() == options.snapshotAt()) {
                saveSnapshot(new ArrayList<>(events));
            }
        }

        @Override
        public void onPersistRejected(Throwable cause, Object event, long sequenceNumber) {
            report(new Rejected(cause, event, sequenceNumber));
        }

        @Override
        public void onPersistFailure(Throwable cause, Object event, long sequenceNumber) {
            report(new Failed(cause, event, sequenceNumber));
        }

        @Override
        public void onRecoveryFailure(Throwable cause, Option<Object> event) {
            report(new RecoveryFailed(cause));
        }

        private void report(Report report) {
            observer.tell(report, self());
        }
    }
}
