package io.varve.simulation.failsonce.pekko;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.ChildFailed;
import org.apache.pekko.actor.typed.Terminated;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;

/** The parent of all actors of a process: starts them, and tells when they end and why. */
final class Actors extends AbstractBehavior<Actors.Start> {
    private final Map<ActorRef, CompletableFuture<Void>> ends = new HashMap<>();

    /**
     * Starts an actor.
     *
     * @param end fails with what the actor has failed with
     */
    record Start(
            Function<ActorContext<?>, ActorRef> how,
            CompletableFuture<ActorRef> started,
            CompletableFuture<Void> end) {}

    private Actors(ActorContext<Start> context) {
        super(context);
    }

    static Behavior<Start> create() {
        return Behaviors.setup(Actors::new);
    }

    @Override
    public Receive<Start> createReceive() {
        return newReceiveBuilder()
                .onMessage(Start.class, this::start)
                .onSignal(ChildFailed.class, failed -> {
                    end(failed).completeExceptionally(failed.cause());
                    return this;
                })
                .onSignal(Terminated.class, terminated -> {
                    end(terminated).complete(null);
                    return this;
                })
                .build();
    }

    private Behavior<Start> start(Start start) {
        ActorRef actor = start.how().apply(getContext());
        ends.put(actor, start.end());
        Adapter.watch(getContext(), actor);
        start.started().complete(actor);
        return this;
    }

    private CompletableFuture<Void> end(Terminated terminated) {
        CompletableFuture<Void> end = ends.remove(Adapter.toClassic(terminated.getRef()));
        return end == null ? new CompletableFuture<>() : end;
    }
}
