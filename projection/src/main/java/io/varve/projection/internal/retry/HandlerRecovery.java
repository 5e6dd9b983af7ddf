package io.varve.projection.internal.retry;

import io.varve.projection.internal.pekko.Abort;
import io.varve.projection.internal.pekko.PekkoRecovery;
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
import org.apache.pekko.persistence.query.Offset;
import org.jspecify.annotations.Nullable;

/**
 * Tries to process envelopes by the recovery strategy, until the stream is stopped: then an attempt that runs is waited for, but no
 * other begins, nothing is skipped any more, and the pause between two attempts ends at once.
 */
public final class HandlerRecovery<E> {
    private final PekkoRecovery<E> pekko;
    private final StopSignal stop;
    private final Set<Attempts> open = new HashSet<>();

    public HandlerRecovery(PekkoRecovery<E> pekko, StopSignal stop) {
        this.pekko = pekko;
        this.stop = stop;
        stop.onStop(this::endPauses);
    }

    /** The attempts for one envelope, or a group. */
    private static final class Attempts {
        private final CompletableFuture<Done> result = new CompletableFuture<>();
        private volatile @Nullable CompletableFuture<?> running;
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
        pekko.run(envelope, first, last, () -> begin(attempts, attempt), () -> begin(attempts, onSkip))
                .whenComplete((done, thrown) -> over(attempts, thrown));
        return attempts.result;
    }

    /** Tries to process once; the strategy is not asked. */
    public CompletionStage<Done> once(Supplier<CompletionStage<Done>> attempt) {
        Attempts attempts = new Attempts();
        synchronized (this) {
            open.add(attempts);
        }
        begin(attempts, attempt).whenComplete((done, thrown) -> over(attempts, thrown));
        return attempts.result;
    }

    private CompletionStage<Done> begin(Attempts attempts, Supplier<CompletionStage<Done>> action) {
        CompletableFuture<Done> outcome = new CompletableFuture<>();
        CompletableFuture<Void> running = new CompletableFuture<>();
        if (!stop.unlessStopped(() -> attempts.running = running)) {
            return CompletableFuture.failedFuture(Abort.exception());
        }
        started(action).whenComplete((done, thrown) -> {
            if (thrown == null) {
                outcome.complete(done);
            } else if (endsTheStream(Causes.unwrap(thrown))) {
                over(attempts, thrown);
            } else {
                attempts.running = null;
                outcome.completeExceptionally(thrown);
            }
            running.complete(null);
        });
        return outcome;
    }

    /** Whether the stream ends, whatever the strategy says: neither it nor those who watch it should hear of that. */
    public static boolean endsTheStream(Throwable cause) {
        return Abort.TYPE.isInstance(cause)
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

    private void endPauses() {
        pekko.abort();
        for (Attempts attempts : open()) {
            if (attempts.running == null) {
                attempts.result.completeExceptionally(Abort.exception());
            }
        }
    }

    /** After a stop: completes when no attempt runs any more. */
    public CompletionStage<Void> settled() {
        List<CompletableFuture<?>> running = new ArrayList<>();
        for (Attempts attempts : open()) {
            CompletableFuture<?> one = attempts.running;
            if (one != null) {
                running.add(one);
            }
        }
        return CompletableFuture.allOf(running.toArray(CompletableFuture[]::new))
                .handle((done, thrown) -> null);
    }

    private synchronized List<Attempts> open() {
        return List.copyOf(open);
    }
}
