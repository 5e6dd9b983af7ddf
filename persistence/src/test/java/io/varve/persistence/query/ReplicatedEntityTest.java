package io.varve.persistence.query;

import static io.varve.persistence.journal.TestEntity.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.varve.persistence.journal.JournalSystem;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.persistence.query.NoOffset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.persistence.typed.ReplicaId;
import org.apache.pekko.persistence.typed.ReplicationId;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.ReplicatedEventSourcedBehavior;
import org.apache.pekko.persistence.typed.javadsl.ReplicatedEventSourcing;
import org.apache.pekko.persistence.typed.javadsl.ReplicationContext;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Replicas of one entity, each of which reads the others' events with the read journal. */
class ReplicatedEntityTest {
    private static final ReplicaId A = new ReplicaId("A");
    private static final ReplicaId B = new ReplicaId("B");

    @RegisterExtension
    static final JournalSystem JOURNAL = JournalSystem.of("replicated", """
                        # Too long for the test: replicas hear of each other by published events.
                        dynamodb-read-journal {
                          refresh-interval = 10 minutes
                          backtracking.window = 1 hour
                          sweep.window = 1 hour
                        }
                        """);

    private final String type = "t" + UUID.randomUUID();

    private record Add(String text) {}

    /** Tells of each event that it hears of, whose ever it is. */
    private static final class Replica extends ReplicatedEventSourcedBehavior<Add, String, List<String>> {
        private final ActorRef observer;

        Replica(ReplicationContext context, ActorRef observer) {
            super(context);
            this.observer = observer;
        }

        @Override
        public List<String> emptyState() {
            return List.of();
        }

        @Override
        public CommandHandler<Add, String, List<String>> commandHandler() {
            return (state, add) -> Effect().persist(add.text());
        }

        @Override
        public EventHandler<List<String>, String> eventHandler() {
            return (state, text) -> {
                String known = text + " of " + getReplicationContext().origin().id();
                observer.tell(known, ActorRef.noSender());
                List<String> more = new ArrayList<>(state);
                more.add(known);
                return more;
            };
        }
    }

    private Behavior<Add> replica(ReplicaId id, ActorRef observer) {
        return ReplicatedEventSourcing.commonJournalConfig(
                new ReplicationId(type, "1", id),
                Set.of(A, B),
                DynamoDBReadJournal.Identifier(),
                context -> new Replica(context, observer));
    }

    @Test
    void replicas_hearOfEachOthersEvents_andTheirMetadataIsInTheEnvelope() {
        TestKit heardByA = new TestKit(JOURNAL.system());
        TestKit heardByB = new TestKit(JOURNAL.system());
        org.apache.pekko.actor.typed.ActorRef<Add> a =
                Adapter.spawnAnonymous(JOURNAL.system(), replica(A, heardByA.getRef()));
        org.apache.pekko.actor.typed.ActorRef<Add> b =
                Adapter.spawnAnonymous(JOURNAL.system(), replica(B, heardByB.getRef()));
        a.tell(new Add("hello"));
        heardByA.expectMsg(PATIENCE, "hello of A");
        heardByB.expectMsg(PATIENCE, "hello of A");
        b.tell(new Add("hi"));
        heardByB.expectMsg(PATIENCE, "hi of B");
        heardByA.expectMsg(PATIENCE, "hi of B");
        DynamoDBReadJournal journal = PersistenceQuery.get(JOURNAL.system())
                .getReadJournalFor(DynamoDBReadJournal.class, DynamoDBReadJournal.Identifier());
        // An event is told of when it is applied, which is before it is stored.
        List<EventEnvelope<String>> envelopes = await().atMost(PATIENCE)
                .until(
                        () -> RunningQuery.all(
                                journal.<String>currentEventsBySlices(type, 0, 1023, NoOffset.getInstance()),
                                JOURNAL.system()),
                        found -> found.size() == 4);
        assertThat(envelopes)
                .hasSize(4)
                .allSatisfy(envelope -> assertThat(EventMetadata.of(envelope)
                                .metadata()
                                .orElseThrow()
                                .toString())
                        .contains("ReplicatedEventMetadata"));
    }
}
