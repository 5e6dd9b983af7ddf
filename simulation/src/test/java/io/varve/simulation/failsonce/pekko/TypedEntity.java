package io.varve.simulation.failsonce.pekko;

import io.varve.simulation.failsonce.EntityBook;
import io.varve.simulation.failsonce.pekko.Entity.Persist;
import io.varve.simulation.failsonce.pekko.Entity.Recovered;
import io.varve.simulation.failsonce.pekko.Entity.Reports;
import java.util.Optional;
import java.util.Set;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.RecoveryCompleted;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;
import org.apache.pekko.persistence.typed.javadsl.SignalHandler;

/** An entity as most services have them, whose state is a line for each event. It stops when the journal fails. */
final class TypedEntity extends EventSourcedBehavior<Persist, String, String> {
    private final ActorContext<Persist> context;
    private final Reports reports;

    private TypedEntity(String id, ActorContext<Persist> context, Reports reports) {
        super(PersistenceId.ofUniqueId(id));
        this.context = context;
        this.reports = reports;
    }

    static ActorRef start(ActorContext<?> parent, String id, Reports reports) {
        return Adapter.toClassic(parent.spawnAnonymous(behavior(id, reports)));
    }

    private static Behavior<Persist> behavior(String id, Reports reports) {
        return Behaviors.setup(context -> new TypedEntity(id, context, reports));
    }

    @Override
    public String emptyState() {
        return "";
    }

    @Override
    public CommandHandler<Persist, String, String> commandHandler() {
        return (state, command) -> Effect()
                .persist(command.texts())
                .thenRun(stored -> command.answer().complete(lastSequenceNumber(context)));
    }

    @Override
    public EventHandler<String, String> eventHandler() {
        return (state, event) -> state + event + "\n";
    }

    @Override
    public Set<String> tagsFor(String event) {
        return event.endsWith(EntityBook.TAGGED) ? Set.of(EntityBook.TAG) : Set.of();
    }

    @Override
    public SignalHandler<String> signalHandler() {
        return newSignalHandlerBuilder()
                .onSignal(
                        RecoveryCompleted.instance(),
                        state -> reports.recovered()
                                .complete(new Recovered(
                                        Optional.empty(), state.lines().toList(), lastSequenceNumber(context))))
                .build();
    }
}
