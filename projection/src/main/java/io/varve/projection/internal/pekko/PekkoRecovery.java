package io.varve.projection.internal.pekko;

import io.varve.persistence.internal.plugin.Futures;
import io.varve.projection.internal.settings.ProjectionOptions;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.event.Logging;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.projection.internal.HandlerRecoveryImpl;
import scala.concurrent.Promise;
import scala.concurrent.Promise$;

/** Tries to process by Pekko's recovery strategies, with their pauses and logs. */
public final class PekkoRecovery<E> {
    private final HandlerRecoveryImpl<Offset, E> pekko;
    private final Promise<Done> abort = Promise$.MODULE$.apply();
    private final ActorSystem<?> system;

    public PekkoRecovery(ProjectionOptions<E> options, SafeObservers<E> observers, ActorSystem<?> system) {
        this.pekko = HandlerRecoveryImpl.apply(
                options.id(),
                options.recoveryStrategy(),
                Logging.getLogger(system.classicSystem(), PekkoRecovery.class),
                observers,
                observers);
        this.system = system;
    }

    /** Tries to process; the envelope and the offsets are for logs and observers. */
    public CompletionStage<Done> run(
            E envelope,
            Offset first,
            Offset last,
            Supplier<CompletionStage<Done>> attempt,
            Supplier<CompletionStage<Done>> onSkip) {
        return Futures.toJava(pekko.applyRecovery(
                envelope,
                first,
                last,
                abort.future(),
                () -> Futures.toScala(attempt.get()),
                () -> Futures.toScala(onSkip.get()),
                system));
    }

    /** No attempt follows any more. */
    public void abort() {
        abort.tryFailure(Abort.exception());
    }
}
