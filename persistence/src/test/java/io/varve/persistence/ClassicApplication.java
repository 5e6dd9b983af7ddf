package io.varve.persistence;

import com.typesafe.config.ConfigFactory;
import io.varve.persistence.internal.plugin.TypedActors;
import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import java.util.List;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;
import org.apache.pekko.pattern.Patterns;
import org.apache.pekko.persistence.AbstractPersistentActor;
import org.apache.pekko.persistence.query.NoOffset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.stream.javadsl.Sink;

/** An application of classic actors: persists an event and finds it by queries, current and live. */
public final class ClassicApplication {
    private ClassicApplication() {}

    /** The arguments: host and port of DynamoDB Local, and a journal table. Says "found" at the end. */
    public static void main(String[] arguments) throws Exception {
        ActorSystem system = ActorSystem.create(
                "classic",
                ConfigFactory.parseString("""
                        pekko.loglevel = WARNING
                        pekko.persistence.journal.plugin = "dynamodb-journal"
                        pekko.persistence.dynamodb.client.local { enabled = on, host = "%s", port = %s }
                        dynamodb-journal.journal-table = "%s"
                        dynamodb-read-journal.refresh-interval = 100 ms
                        """.formatted((Object[]) arguments)).withFallback(ConfigFactory.load()));
        ActorRef entity = system.actorOf(Props.create(Entity.class, Entity::new));
        Patterns.ask(entity, "event", java.time.Duration.ofSeconds(20))
                .toCompletableFuture()
                .join();
        DynamoDBReadJournal journal = PersistenceQuery.get(system)
                .getReadJournalFor(DynamoDBReadJournal.class, DynamoDBReadJournal.Identifier());
        List<EventEnvelope<String>> current = journal.<String>currentEventsBySlices(
                        "classic", 0, 1023, NoOffset.getInstance())
                .runWith(Sink.seq(), system)
                .toCompletableFuture()
                .join();
        EventEnvelope<String> live = journal.<String>eventsBySlices("classic", 0, 1023, NoOffset.getInstance())
                .runWith(Sink.head(), system)
                .toCompletableFuture()
                .join();
        boolean typed = TypedActors.arePresent();
        System.out.println(
                (typed ? "typed " : "classic ") + current.get(0).getEvent() + " " + live.getEvent() + " found");
        system.terminate();
    }

    private static final class Entity extends AbstractPersistentActor {
        @Override
        public String persistenceId() {
            return "classic|1";
        }

        @Override
        public AbstractActor.Receive createReceive() {
            return receiveBuilder()
                    .match(
                            String.class,
                            event -> persist(event, stored -> getSender().tell("done", getSelf())))
                    .build();
        }

        @Override
        public AbstractActor.Receive createReceiveRecover() {
            return receiveBuilder().build();
        }
    }
}
