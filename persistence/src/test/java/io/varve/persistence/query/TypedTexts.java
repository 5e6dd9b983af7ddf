package io.varve.persistence.query;

import static io.varve.persistence.journal.TestEntity.PATIENCE;

import java.util.List;
import java.util.Set;
import org.apache.pekko.Done;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;
import org.apache.pekko.testkit.javadsl.TestKit;

/** A typed event-sourced entity that persists texts; one with a '#' is tagged with what follows it. */
final class TypedTexts extends EventSourcedBehavior<TypedTexts.Add, String, Integer> {

    /** Persists texts in one atomic write. */
    record Add(List<String> texts, ActorRef replyTo) {}

    private TypedTexts(PersistenceId id) {
        super(id);
    }

    /** Persists texts, each in a write of its own. */
    static void persist(ActorSystem system, String type, String id, String... texts) {
        persist(system, new TypedTexts(PersistenceId.of(type, id)), texts);
    }

    static void persist(ActorSystem system, Behavior<Add> behavior, String... texts) {
        TestKit probe = new TestKit(system);
        org.apache.pekko.actor.typed.ActorRef<Add> entity = Adapter.spawnAnonymous(system, behavior);
        for (String text : texts) {
            entity.tell(new Add(List.of(text), probe.getRef()));
            probe.expectMsg(PATIENCE, Done.getInstance());
        }
        ActorRef classic = probe.watch(Adapter.toClassic(entity));
        system.stop(classic);
        probe.expectTerminated(PATIENCE, classic);
    }

    @Override
    public Integer emptyState() {
        return 0;
    }

    @Override
    public CommandHandler<Add, String, Integer> commandHandler() {
        return (state, add) -> Effect()
                .persist(add.texts())
                .thenRun(now -> add.replyTo().tell(Done.getInstance(), ActorRef.noSender()));
    }

    @Override
    public EventHandler<Integer, String> eventHandler() {
        return (state, text) -> state + 1;
    }

    @Override
    public Set<String> tagsFor(String text) {
        int hash = text.indexOf('#');
        return hash < 0 ? Set.of() : Set.of(text.substring(hash + 1));
    }
}
