package io.varve.projection.internal.retry;

import io.varve.projection.ProgressObserver;
import io.varve.projection.internal.pekko.Abort;
import io.varve.projection.internal.settings.OffsetStoreSettings;
import io.varve.store.FailureKind;
import io.varve.store.StoreException;
import io.varve.store.internal.async.Causes;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.pekko.projection.ProjectionId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits out what DynamoDB does not do now and may do later: throttling, conflicts, faults, missing answers, credentials or
 * permissions. A request is repeated until it works, it turns out that it never can, or the stream is stopped.
 *
 * <p>This stands below the recovery strategy, which says what becomes of events that cannot be processed: an event is not at fault
 * for the state of a table, so it must not be skipped, nor its handler called again.
 */
public final class OutageRetries {
    private static final Logger LOG = LoggerFactory.getLogger(OutageRetries.class);
    private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);

    private final ProjectionId id;
    private final OffsetStoreSettings.Retries settings;
    private final ProgressObserver observers;
    private final Timer timer;
    private final InstantSource clock;
    private final StopSignal stop;
    private final Map<Operation<?>, Runnable> pausing = new LinkedHashMap<>();
    private final Set<Operation<?>> failing = new HashSet<>();
    private Instant since = Instant.MIN;
    private Instant warned = Instant.MIN;

    public OutageRetries(
            ProjectionId id,
            OffsetStoreSettings.Retries settings,
            ProgressObserver observers,
            Timer timer,
            InstantSource clock,
            StopSignal stop) {
        this.id = id;
        this.settings = settings;
        this.observers = observers;
        this.timer = timer;
        this.clock = clock;
        this.stop = stop;
        stop.onStop(this::endPauses);
    }

    /** Does something later. */
    public interface Timer {
        /** Does it after a delay, unless what is returned is run before; fails if nothing can be done later any more. */
        Runnable after(Duration delay, Runnable action);
    }

    /** Does something until it works; fails if it never can, or at once when the stream is stopped. */
    public <T> CompletionStage<T> run(Supplier<CompletionStage<T>> action) {
        return new Operation<>(action, OutageRetries::isOutage, 0).start();
    }

    /** As {@link #run}, but fails if somebody has to mend something: a start should say so. */
    public <T> CompletionStage<T> runAtStart(Supplier<CompletionStage<T>> action) {
        return new Operation<>(
                        action,
                        cause -> cause instanceof StoreException store
                                && store.kind().retryable(),
                        0)
                .start();
    }

    /** As {@link #run}, but what seems never to work is tried again as the settings say, too. */
    public <T> CompletionStage<T> runStubbornly(Supplier<CompletionStage<T>> action) {
        return new Operation<>(action, OutageRetries::isOutage, settings.max()).start();
    }

    /** Whether what failed may work later. */
    private static boolean isOutage(Throwable cause) {
        return cause instanceof StoreException store && store.kind() != FailureKind.CONDITION && !store.isInvalid();
    }

    /** Ends all pauses; what is under way is not repeated if it fails. */
    private void endPauses() {
        List<Operation<?>> waiting;
        synchronized (this) {
            waiting = List.copyOf(pausing.keySet());
            pausing.values().forEach(Runnable::run);
            pausing.clear();
        }
        waiting.forEach(operation -> operation.fail(Abort.exception()));
    }

    /** Something that is done until it works. */
    private final class Operation<T> {
        private final Supplier<CompletionStage<T>> action;
        private final Predicate<Throwable> passes;
        private final int refusals;
        private final CompletableFuture<T> result = new CompletableFuture<>();
        private int failures;

        Operation(Supplier<CompletionStage<T>> action, Predicate<Throwable> passes, int refusals) {
            this.action = action;
            this.passes = passes;
            this.refusals = refusals;
        }

        CompletionStage<T> start() {
            attempt();
            return result;
        }

        private void attempt() {
            CompletionStage<T> attempted;
            try {
                attempted = action.get();
            } catch (RuntimeException | LinkageError | AssertionError e) {
                attempted = CompletableFuture.failedFuture(e);
            }
            attempted.whenComplete((value, thrown) -> {
                if (thrown == null) {
                    worked(this);
                    result.complete(value);
                } else {
                    failed(Causes.unwrap(thrown));
                }
            });
        }

        private void failed(Throwable cause) {
            failures++;
            if (!passes.test(cause) && failures > refusals) {
                fail(cause);
                return;
            }
            notice(this, cause);
            try {
                if (!pause(this, this::resume)) {
                    fail(Abort.exception());
                }
            } catch (IllegalStateException terminated) { // there is no scheduler any more
                terminated.addSuppressed(cause);
                fail(terminated);
            }
        }

        private void resume() {
            if (resumed(this)) {
                attempt();
            }
        }

        private void fail(Throwable cause) {
            over(this);
            result.completeExceptionally(cause);
        }

        private Duration delay() {
            return settings.pauses().next(failures - 1);
        }
    }

    private boolean pause(Operation<?> operation, Runnable then) {
        return stop.unlessStopped(() -> sleep(operation, then));
    }

    private synchronized void sleep(Operation<?> operation, Runnable then) {
        pausing.put(operation, timer.after(operation.delay(), then));
    }

    private synchronized boolean resumed(Operation<?> operation) {
        return pausing.remove(operation) != null;
    }

    /** Tells of a failure; the log hears of it once in a while only. */
    private void notice(Operation<?> operation, Throwable cause) {
        Instant now = clock.instant();
        Duration lasting;
        boolean warn;
        synchronized (this) {
            since = failing.isEmpty() ? now : since;
            failing.add(operation);
            lasting = Duration.between(since, now);
            warn = warned.equals(Instant.MIN) || !now.isBefore(warned.plus(BETWEEN_WARNINGS));
            warned = warn ? now : warned;
        }
        if (warn) {
            LOG.warn(
                    "{}: DynamoDB does not store or answer, for {} s so far. The projection waits and tries again; nothing is"
                            + " skipped: {}",
                    id.id(),
                    lasting.toSeconds(),
                    cause.getMessage());
        }
        observers.outage(id, cause, lasting);
    }

    private void worked(Operation<?> operation) {
        Duration lasted;
        synchronized (this) {
            if (!over(operation) || !failing.isEmpty() || warned.isBefore(since)) {
                return;
            }
            lasted = Duration.between(since, clock.instant());
        }
        LOG.info("{}: DynamoDB works again, after {} s.", id.id(), lasted.toSeconds());
    }

    private synchronized boolean over(Operation<?> operation) {
        return failing.remove(operation);
    }
}
