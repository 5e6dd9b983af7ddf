package io.varve.projection;

import io.varve.projection.internal.reached.InstanceEndedException;
import io.varve.projection.internal.reached.ReachedNumbers;
import io.varve.projection.internal.reached.RunningInstance;
import io.varve.projection.internal.reached.RunningInstances;
import io.varve.store.Slices;
import io.varve.store.internal.async.Backoff;
import io.varve.store.internal.async.Causes;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.pekko.Done;
import org.apache.pekko.actor.Cancellable;
import org.apache.pekko.actor.typed.ActorSystem;

/** One caller who waits until an event is processed: the instance on this node tells, or the row is read until it says so. */
final class ProcessedWait {
    private static final Backoff PAUSES = new Backoff(Duration.ofMillis(25), Duration.ofSeconds(1), 0.3);

    private final ActorSystem<?> system;
    private final RunningInstances instances;
    private final ReachedNumbers stored;
    private final Event event;
    private final CompletableFuture<Done> result = new CompletableFuture<>();
    private volatile long reached;
    private int reads;

    ProcessedWait(ActorSystem<?> system, RunningInstances instances, ReachedNumbers stored, Event event) {
        this.system = system;
        this.instances = instances;
        this.stored = stored;
        this.event = event;
    }

    /** What is waited for. */
    record Event(String projection, String persistenceId, long sequenceNumber) {}

    CompletionStage<Done> start(Duration timeout) {
        Cancellable timer = system.scheduler()
                .scheduleOnce(timeout, () -> result.completeExceptionally(timeout(timeout)), system.executionContext());
        result.whenComplete((done, thrown) -> timer.cancel());
        next();
        return result;
    }

    private void next() {
        if (!result.isDone()) {
            here().ifPresentOrElse(this::wait, this::poll);
        }
    }

    private Optional<RunningInstance> here() {
        return instances.find(event.projection(), Slices.of(event.persistenceId()));
    }

    private void wait(RunningInstance instance) {
        CompletableFuture<Done> told = instance.whenReached(event.persistenceId(), event.sequenceNumber());
        result.whenComplete((done, thrown) -> told.cancel(false));
        told.whenComplete((done, thrown) -> {
            if (thrown == null) {
                result.complete(done);
            } else if (Causes.unwrap(thrown) instanceof InstanceEndedException) {
                next();
            } else {
                result.completeExceptionally(Causes.unwrap(thrown));
            }
        });
        OptionalLong known = instance.reached(event.persistenceId());
        if (known.isEmpty() && !told.isDone()) { // it may be processed, and forgotten
            read(() -> {});
        }
    }

    private void poll() {
        read(() -> {
            reads++;
            later(PAUSES.delay(reads, ThreadLocalRandom.current().nextDouble()));
        });
    }

    private void later(Duration pause) {
        try {
            system.scheduler().scheduleOnce(pause, this::next, system.executionContext());
        } catch (IllegalStateException terminated) { // there is no scheduler any more
            result.completeExceptionally(terminated);
        }
    }

    /** Reads how far the entity is, which may be all. */
    private void read(Runnable otherwise) {
        stored.of(event.persistenceId()).whenComplete((number, thrown) -> {
            if (thrown != null) {
                result.completeExceptionally(Causes.unwrap(thrown));
            } else if (number >= event.sequenceNumber()) {
                result.complete(Done.getInstance());
            } else {
                reached = number;
                otherwise.run();
            }
        });
    }

    private ProcessingTimeoutException timeout(Duration timeout) {
        long last = here().map(instance -> instance.reached(event.persistenceId()))
                .orElse(OptionalLong.empty())
                .orElse(reached);
        return new ProcessingTimeoutException(
                "Projection '" + event.projection() + "' has not processed event " + event.sequenceNumber() + " of '"
                        + event.persistenceId() + "' within " + timeout.toMillis() + " ms: "
                        + (last == 0 ? "it has processed none of the entity" : "it is at event " + last)
                        + ". It may be behind, paused or not running, have another name, or have parked the entity.",
                event.projection(),
                event.persistenceId(),
                event.sequenceNumber(),
                last);
    }
}
