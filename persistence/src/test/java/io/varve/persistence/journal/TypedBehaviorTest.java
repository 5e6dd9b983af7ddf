package io.varve.persistence.journal;

import static io.varve.persistence.journal.TestEntity.PATIENCE;
import static io.varve.persistence.journal.TestEntity.freshId;
import static org.assertj.core.api.Assertions.assertThat;

import io.varve.persistence.journal.TestJournal.StoredItem;
import io.varve.testkit.DynamoDBLocal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.typed.BackoffSupervisorStrategy;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.persistence.typed.EventAdapter;
import org.apache.pekko.persistence.typed.EventSeq;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.ReplicaId;
import org.apache.pekko.persistence.typed.ReplicationId;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;
import org.apache.pekko.persistence.typed.javadsl.Recovery;
import org.apache.pekko.persistence.typed.javadsl.ReplicatedEventSourcedBehavior;
import org.apache.pekko.persistence.typed.javadsl.ReplicatedEventSourcing;
import org.apache.pekko.persistence.typed.javadsl.ReplicationContext;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Typed event-sourced behaviours on the journal: state, tags, adapters and replication metadata. */
class TypedBehaviorTest {
    private static String table;
    private static ActorSystem system;

    private final String persistenceId = freshId();

    @BeforeAll
    static void startSystem() {
        table = TestJournal.createTable();
        system = ActorSystem.create(
                "typed", TestJournal.config(DynamoDBLocal.shared().endpoint(), table, ""));
    }

    @AfterAll
    static void stopSystem() {
        TestKit.shutdownActorSystem(system);
    }

    /** Adds texts in one atomic write, and answers with all of them. */
    private record Add(List<String> texts, ActorRef replyTo) {}

    private record State(List<String> texts) {
        State plus(String text) {
            List<String> more = new ArrayList<>(texts);
            more.add(text);
            return new State(more);
        }
    }

    private static class TextsBehavior extends EventSourcedBehavior<Add, String, State> {
        TextsBehavior(String persistenceId) {
            super(PersistenceId.ofUniqueId(persistenceId));
        }

        TextsBehavior(String persistenceId, BackoffSupervisorStrategy onPersistFailure) {
            super(PersistenceId.ofUniqueId(persistenceId), onPersistFailure);
        }

        @Override
        public State emptyState() {
            return new State(List.of());
        }

        @Override
        public CommandHandler<Add, String, State> commandHandler() {
            return (state, add) ->
                    Effect().persist(add.texts()).thenRun(now -> add.replyTo().tell(now, ActorRef.noSender()));
        }

        @Override
        public EventHandler<State, String> eventHandler() {
            return State::plus;
        }
    }

    private static final class RestartingBehavior extends TextsBehavior {
        RestartingBehavior(String persistenceId) {
            super(
                    persistenceId,
                    SupervisorStrategy.restartWithBackoff(Duration.ofMillis(1), Duration.ofMillis(1), 0)
                            .withLoggingEnabled(false));
        }
    }

    private static final class TaggedBehavior extends TextsBehavior {
        TaggedBehavior(String persistenceId) {
            super(persistenceId);
        }

        @Override
        public Set<String> tagsFor(String text) {
            return text.startsWith("plain") ? Set.of() : Set.of("green", text);
        }
    }

    private static final class RecoveryDisabledBehavior extends TextsBehavior {
        RecoveryDisabledBehavior(String persistenceId) {
            super(persistenceId);
        }

        @Override
        public Recovery recovery() {
            return Recovery.disabled();
        }
    }

    private static final class AdaptedBehavior extends TextsBehavior {
        AdaptedBehavior(String persistenceId) {
            super(persistenceId);
        }

        @Override
        public EventAdapter<String, String> eventAdapter() {
            return new EventAdapter<>() {
                @Override
                public String toJournal(String text) {
                    return "stored " + text;
                }

                @Override
                public String manifest(String text) {
                    return "v" + text.length();
                }

                @Override
                public EventSeq<String> fromJournal(String stored, String manifest) {
                    String text = stored.substring("stored ".length());
                    return switch (text) {
                        case "gone" -> EventSeq.empty();
                        case "two" -> EventSeq.create(List.of("one of " + manifest, "two of " + manifest));
                        default -> EventSeq.single(text);
                    };
                }
            };
        }
    }

    private static final class ReplicatedBehavior extends ReplicatedEventSourcedBehavior<Add, String, State> {
        ReplicatedBehavior(ReplicationContext context) {
            super(context);
        }

        @Override
        public State emptyState() {
            return new State(List.of());
        }

        @Override
        public CommandHandler<Add, String, State> commandHandler() {
            return (state, add) ->
                    Effect().persist(add.texts()).thenRun(now -> add.replyTo().tell(now, ActorRef.noSender()));
        }

        @Override
        public EventHandler<State, String> eventHandler() {
            return (state, text) -> state.plus(
                    text + " from " + getReplicationContext().origin().id());
        }
    }

    /** Starts the behaviour, adds the texts, stops it, and returns the state in between. */
    private static List<String> add(Behavior<Add> behavior, String... texts) {
        TestKit probe = new TestKit(system);
        org.apache.pekko.actor.typed.ActorRef<Add> entity = Adapter.spawnAnonymous(system, behavior);
        entity.tell(new Add(List.of(texts), probe.getRef()));
        List<String> state = probe.expectMsgClass(PATIENCE, State.class).texts();
        ActorRef classic = probe.watch(Adapter.toClassic(entity));
        system.stop(classic);
        probe.expectTerminated(PATIENCE, classic);
        return state;
    }

    private StoredItem item(String id, long number) {
        return TestJournal.item(table, "journal", id, number);
    }

    @Test
    void persist_isRecoveredByTheNextIncarnation() {
        assertThat(add(new TextsBehavior(persistenceId), "a")).containsExactly("a");
        assertThat(add(new TextsBehavior(persistenceId), "b", "c")).containsExactly("a", "b", "c");
        assertThat(add(new TextsBehavior(persistenceId), "d")).containsExactly("a", "b", "c", "d");
    }

    @Test
    void hundredsOfEvents_acrossGroupBorders_areRecovered() {
        List<String> expected = new ArrayList<>();
        for (int size : List.of(98, 1, 1, 1, 130, 69, 10)) {
            String[] texts = IntStream.range(0, size)
                    .mapToObj(i -> "t" + (expected.size() + i))
                    .toArray(String[]::new);
            expected.addAll(List.of(texts));
            assertThat(add(new TextsBehavior(persistenceId), texts)).isEqualTo(expected);
        }
    }

    @Test
    void recoveryDisabled_continuesWithTheNextNumber() {
        add(new TextsBehavior(persistenceId), "a", "b");
        assertThat(add(new RecoveryDisabledBehavior(persistenceId), "c")).containsExactly("c");
        assertThat(add(new TextsBehavior(persistenceId), "d")).containsExactly("a", "b", "c", "d");
    }

    @Test
    void persist_whenAnotherWriterWasFaster_restartsWithTheirEvent() {
        TestKit probe = new TestKit(system);
        org.apache.pekko.actor.typed.ActorRef<Add> entity =
                Adapter.spawnAnonymous(system, new RestartingBehavior(persistenceId));
        entity.tell(new Add(List.of("a"), probe.getRef()));
        assertThat(probe.expectMsgClass(PATIENCE, State.class).texts()).containsExactly("a");
        ActorSystem otherNode = ActorSystem.create(
                "other-node", TestJournal.config(DynamoDBLocal.shared().endpoint(), table, ""));
        try {
            TestEntity theirs = TestEntity.start(otherNode, persistenceId);
            theirs.recovered();
            theirs.persist("theirs").expectStored(1);
        } finally {
            TestKit.shutdownActorSystem(otherNode);
        }
        entity.tell(new Add(List.of("lost"), probe.getRef()));
        entity.tell(new Add(List.of("b"), probe.getRef()));
        assertThat(probe.expectMsgClass(PATIENCE, State.class).texts()).containsExactly("a", "theirs", "b");
    }

    @Test
    void tagsFor_areStoredAsASetBesideTheBareEvent() {
        add(new TaggedBehavior(persistenceId), "first", "plain");
        StoredItem tagged = item(persistenceId, 1);
        assertThat(tagged.tags()).containsExactlyInAnyOrder("green", "first");
        assertThat(tagged.event()).isEqualTo("first");
        assertThat(item(persistenceId, 2).has("tags")).isFalse();
        assertThat(add(new TaggedBehavior(persistenceId), "last")).containsExactly("first", "plain", "last");
    }

    @Test
    void eventAdapter_manifestIsStored_andOneEventBecomesNoneOrMany() {
        add(new AdaptedBehavior(persistenceId), "a", "gone", "two");
        assertThat(item(persistenceId, 3).text("manifest")).isEqualTo("v3");
        assertThat(item(persistenceId, 3).event()).isEqualTo("stored two");
        assertThat(add(new AdaptedBehavior(persistenceId), "b")).containsExactly("a", "one of v3", "two of v3", "b");
    }

    @Test
    void replicatedEventSourcing_metadataComesBackWithTheEvent() {
        ReplicationId id = new ReplicationId("Texts", persistenceId, new ReplicaId("DC-A"));
        Behavior<Add> behavior = ReplicatedEventSourcing.commonJournalConfig(
                id, Set.of(id.replicaId()), "no-read-journal", ReplicatedBehavior::new);
        assertThat(add(behavior, "a", "b")).containsExactly("a from DC-A", "b from DC-A");
        StoredItem item = item(id.persistenceId().id(), 1);
        assertThat(item.attributes()).containsKeys("meta", "meta_ser_id", "meta_ser_manifest");
        assertThat(item.event()).isEqualTo("a");
        // an event without its metadata would fail this recovery
        assertThat(add(behavior, "c")).containsExactly("a from DC-A", "b from DC-A", "c from DC-A");
    }
}
