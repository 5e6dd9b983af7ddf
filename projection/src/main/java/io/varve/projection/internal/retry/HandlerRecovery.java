package io.varve.projection.internal.retry;

import io.varve.persistence.internal.plugin.Futures;
import io.varve.store.OffsetWasSetException;
import io.varve.store.internal.async.Causes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.projection.RunningProjection.AbortProjectionException$;
import org.apache.pekko.projection.internal.HandlerRecoveryImpl;
import org.jspecify.annotations.Nullable;
import scala.concurrent.Promise;
import scala.concurrent.Promise$;

/**
 * Tries to process envelopes by Pekko's recovery strategy, until it is told to give up: then an attempt that runs is waited for,
 * but no other begins, nothing is skipped any more, and the pause between two attempts ends at once.
 */
public final class HandlerRecovery<E> {
    private final HandlerRecoveryImpl<Offset, E> pekko;
    private final ActorSystem<?> system;
    private final Promise<Done> abort = Promise$.MODULE$.apply();
    private final Set<Attempts> open = new HashSet<>();
    private boolean givenUp;

    public HandlerRecovery(HandlerRecoveryImpl<Offset, E> pekko, ActorSystem<?> system) {
        this.pekko = pekko;
        this.system = system;
    }

    /** The attempts for one envelope, or a group. */
    private static final class Attempts {
        private final CompletableFuture<Done> result = new CompletableFuture<>();
        private @Nullable CompletableFuture<?> running;
    }

    /** Tries to process; the envelope and the offsets are for logs and observers. */
    public CompletionStage<Done> run(
            E envelope,
            Offset first,
            Offset last,
            Supplier<CompletionStage<Done>> attempt,
            Supplier<CompletionStage<Done>> onSkip) {
        Attempts attempts = new Attempts();
        synchronized (this) {
            open.add(attempts);
        }
        Futures.toJava(pekko.applyRecovery(
                        envelope,
                        first,
                        last,
                        abort.future(),
                        () -> Futures.toScala(begin(attempts, attempt)),
                        () -> Futures.toScala(begin(attempts, onSkip)),
                        system))
                .whenComplete((done, thrown) -> over(attempts, thrown));
        return attempts.result;
    }

    private CompletionStage<Done> begin(Attempts attempts, Supplier<CompletionStage<Done>> action) {
        CompletableFuture<Done> outcome = new CompletableFuture<>();
        CompletableFuture<Void> running = new CompletableFuture<>();
        synchronized (this) {
            if (givenUp) {
                return CompletableFuture.failedFuture(AbortProjectionException$.MODULE$);
            }
            attempts.running = running;
        }
        started(action).whenComplete((done, thrown) -> {
            if (thrown == null) {
                outcome.complete(done);
            } else if (isNotForTheStrategy(Causes.unwrap(thrown))) {
                over(attempts, thrown);
            } else {
                synchronized (this) {
                    attempts.running = null;
                }
                outcome.completeExceptionally(thrown);
            }
            running.complete(null);
        });
        return outcome;
    }

    /** Whether the incarnation ends, whatever the strategy says: neither it nor those who watch it should hear of that. */
    private static boolean isNotForTheStrategy(Throwable cause) {
        return cause instanceof AbortProjectionException$
                || cause instanceof OffsetWasSetException
                || cause instanceof ProgressChangedException;
    }

    private void over(Attempts attempts, @Nullable Throwable thrown) {
        synchronized (this) {
            open.remove(attempts);
        }
        if (thrown == null) {
            attempts.result.complete(Done.getInstance());
        } else {
            attempts.result.completeExceptionally(Causes.unwrap(thrown));
        }
    }

    private static CompletionStage<Done> started(Supplier<CompletionStage<Done>> action) {
        try {
            return action.get();
        } catch (RuntimeException | LinkageError | AssertionError e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Gives up; completes when no attempt runs any more. */
    public CompletionStage<Void> giveUp() {
        List<CompletableFuture<Done>> pausing = new ArrayList<>();
        List<CompletableFuture<?>> running = new ArrayList<>();
        synchronized (this) {
            givenUp = true;
            for (Attempts attempts : open) {
                if (attempts.running == null) {
                    pausing.add(attempts.result);
                } else {
                    running.add(attempts.running);
                }
            }
        }
        abort.tryFailure(AbortProjectionException$.MODULE$);
        pausing.forEach(result -> result.completeExceptionally(AbortProjectionException$.MODULE$));
        return CompletableFuture.allOf(running.toArray(CompletableFuture[]::new))
                .handle((done, thrown) -> null);
    }
}
