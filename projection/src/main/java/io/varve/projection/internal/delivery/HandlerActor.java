package io.varve.projection.internal.delivery;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.jspecify.annotations.Nullable;

/**
 * The actor of an actor handler, which lives through the streams of a run.
 *
 * <p>It is started here and not by Pekko's {@code ProjectionBehavior}: that of pekko-projection 1.0.0 calls a method that Pekko 1.2
 * does not have any more, which ends the JVM.
 */
final class HandlerActor {
    private static final AtomicLong NUMBER = new AtomicLong();

    private final ActorSystem<?> system;
    private @Nullable ActorRef<Object> actor;

    HandlerActor(ActorSystem<?> system) {
        this.system = system;
    }

    /** The actor, which the first handler's behavior starts. */
    synchronized ActorRef<Object> get(Behavior<Object> behavior) {
        if (actor == null) {
            actor = system.systemActorOf(
                    Behaviors.supervise(behavior).onFailure(SupervisorStrategy.restart()),
                    "varve-projection-handler-" + NUMBER.incrementAndGet(),
                    Props.empty());
        }
        return actor;
    }

    synchronized void stop() {
        if (actor != null) {
            Adapter.toClassic(system).stop(Adapter.toClassic(actor));
            actor = null;
        }
    }
}
