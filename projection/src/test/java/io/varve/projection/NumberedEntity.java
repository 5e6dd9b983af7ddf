package io.varve.projection;

import java.util.List;
import java.util.stream.LongStream;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;

/** An entity whose events are their own sequence numbers. */
final class NumberedEntity extends EventSourcedBehavior<NumberedEntity.Command, String, Long> {
    private NumberedEntity(String persistenceId) {
        super(PersistenceId.ofUniqueId(persistenceId));
    }

    /** What it can do. */
    sealed interface Command {
        ActorRef<Done> replyTo();
    }

    /** Stores the next so many events at once. */
    private record Store(int events, ActorRef<Done> replyTo) implements Command {}

    /** Ends. */
    private record Stop(ActorRef<Done> replyTo) implements Command {}

    /** Starts it on a node, lets it make these writes of so many events each, one after another, and stops it. */
    static void write(ClusterNode node, String persistenceId, List<Integer> writes) {
        ActorRef<Command> entity = node.spawn(new NumberedEntity(persistenceId));
        for (int events : writes) {
            ask(node, entity, replyTo -> new Store(events, replyTo));
        }
        ask(node, entity, Stop::new);
    }

    private static void ask(
            ClusterNode node,
            ActorRef<Command> entity,
            org.apache.pekko.japi.function.Function<ActorRef<Done>, Command> command) {
        AskPattern.ask(entity, command, ClusterNode.PATIENCE, node.system().scheduler())
                .toCompletableFuture()
                .join();
    }

    @Override
    public Long emptyState() {
        return 0L;
    }

    @Override
    public CommandHandler<Command, String, Long> commandHandler() {
        return newCommandHandlerBuilder()
                .forAnyState()
                .onCommand(
                        Store.class,
                        (last, store) -> Effect()
                                .persist(LongStream.rangeClosed(last + 1, last + store.events())
                                        .mapToObj(Long::toString)
                                        .toList())
                                .thenReply(store.replyTo(), stored -> Done.getInstance()))
                .onCommand(
                        Stop.class,
                        (last, stop) -> Effect().stop().thenReply(stop.replyTo(), stopped -> Done.getInstance()))
                .build();
    }

    @Override
    public EventHandler<Long, String> eventHandler() {
        return (last, event) -> Long.valueOf(event);
    }
}
