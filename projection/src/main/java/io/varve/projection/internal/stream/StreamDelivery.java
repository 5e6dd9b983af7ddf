package io.varve.projection.internal.stream;

import io.varve.projection.internal.delivery.Delivery;
import io.varve.projection.internal.event.Position;
import io.varve.projection.internal.event.ProjectionSource;
import io.varve.projection.internal.pekko.SafeObservers;
import io.varve.projection.internal.progress.EntityParking;
import io.varve.projection.internal.progress.InFlight;
import io.varve.projection.internal.progress.ProgressStore;
import io.varve.projection.internal.progress.StreamProgress;
import io.varve.projection.internal.retry.HandlerRecovery;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.offset.SetOffsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.pekko.Done;
import org.apache.pekko.projection.ProjectionId;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** What a stream does for its delivery mode: it tries again, stores, keeps the progress and tells the observers. */
record StreamDelivery<E>(
        ProjectionId id,
        ProjectionSource<E> source,
        StreamProgress progress,
        SafeObservers<E> observers,
        HandlerRecovery<E> recovery,
        ProgressStore<E> store,
        EntityParking parking,
        boolean isExactlyOnce)
        implements Delivery<E> {

    @Override
    public CompletionStage<Done> attempt(
            List<InFlight<E>> events, Supplier<CompletionStage<Done>> process, Supplier<CompletionStage<Done>> skip) {
        if (events.stream().allMatch(InFlight::isVoid)) {
            events.forEach(progress::setAside);
            return CompletableFuture.completedFuture(Done.getInstance());
        }
        E first = events.get(0).envelopes().get(0);
        E last = events.get(events.size() - 1).envelopes().get(0);
        CompletionStage<Done> tried = recovery.run(first, source.offset(first), source.offset(last), process, skip);
        return events.size() == 1 ? orElse(tried, cause -> park(events.get(0), cause)) : tried;
    }

    @Override
    public CompletionStage<Done> attemptGroup(List<InFlight<E>> group, Processing<E> process, Processing<E> skip) {
        List<InFlight<E>> open = open(group);
        if (open.isEmpty()) {
            return CompletableFuture.completedFuture(Done.getInstance());
        }
        CompletionStage<Done> tried = attempt(open, () -> process.run(open), () -> skip.run(open));
        return open.size() == 1 ? tried : orElse(tried, cause -> halve(open, process, skip));
    }

    /** Tries the halves, of which only single events are tried by the strategy: it has had its retries for the whole. */
    private CompletionStage<Done> halve(List<InFlight<E>> group, Processing<E> process, Processing<E> skip) {
        int half = group.size() / 2;
        return attemptHalf(group.subList(0, half), process, skip)
                .thenCompose(done -> attemptHalf(group.subList(half, group.size()), process, skip));
    }

    private CompletionStage<Done> attemptHalf(List<InFlight<E>> half, Processing<E> process, Processing<E> skip) {
        List<InFlight<E>> open = open(half);
        return open.size() < 2
                ? attemptGroup(open, process, skip)
                : orElse(recovery.once(() -> process.run(open)), cause -> halve(open, process, skip));
    }

    /** Those that are not stored yet; events of entities that were parked meanwhile are left alone. */
    private List<InFlight<E>> open(List<InFlight<E>> events) {
        List<InFlight<E>> open = new ArrayList<>();
        for (InFlight<E> event : events) {
            if (event.isVoid() && !event.isComplete()) {
                progress.setAside(event);
            } else if (!event.isComplete()) {
                open.add(event);
            }
        }
        return open;
    }

    /** Does something about what was tried and has failed for good, where entities are parked. */
    private CompletionStage<Done> orElse(
            CompletionStage<Done> tried, Function<Throwable, CompletionStage<Done>> otherwise) {
        return tried.handle((done, thrown) -> {
                    if (thrown == null) {
                        return CompletableFuture.completedFuture(done);
                    }
                    Throwable cause = Causes.unwrap(thrown);
                    return parking.isOn() && !HandlerRecovery.endsTheStream(cause)
                            ? otherwise.apply(cause)
                            : CompletableFuture.<Done>failedFuture(cause);
                })
                .thenCompose(next -> next);
    }

    /** With at-least-once the entity's earlier events may still have to be saved: it is parked after that. */
    private CompletionStage<Done> park(InFlight<E> event, Throwable cause) {
        progress.failed(event, cause);
        return isExactlyOnce ? parking.park(event, true) : CompletableFuture.completedFuture(Done.getInstance());
    }

    @Override
    public void processed(InFlight<E> event) {
        progress.handled(event);
        event.envelopes().forEach(envelope -> observers.afterProcess(id, envelope));
        event.contexts().forEach(observers::afterProcess);
    }

    @Override
    public List<Position> passOver(InFlight<E> event) {
        return progress.passOver(event);
    }

    @Override
    public void failed(Throwable cause) {
        observers.error(cause);
    }

    @Override
    public CompletionStage<List<InFlight<E>>> store(List<InFlight<E>> events, Collection<TransactWriteItem> changes) {
        return store(events, changes, this::processed);
    }

    @Override
    public CompletionStage<List<InFlight<E>>> storeSkipped(List<InFlight<E>> events) {
        return store(events, List.of(), skipped -> {});
    }

    private CompletionStage<List<InFlight<E>>> store(
            List<InFlight<E>> events, Collection<TransactWriteItem> changes, Consumer<InFlight<E>> processed) {
        return store.store(events, changes, processed).thenApply(stored -> {
            tellStored(stored);
            return stored;
        });
    }

    @Override
    public CompletionStage<Done> save(List<InFlight<E>> events, Supplier<CompletionStage<Done>> process) {
        return store.save(events, process, event -> parking.park(event, false)).thenApply(processed -> {
            if (!processed.isEmpty()) {
                tellStored(processed);
            }
            return Done.getInstance();
        });
    }

    @Override
    public <T> CompletionStage<T> untilItWorks(Supplier<CompletionStage<T>> requests) {
        return store.untilItWorks(requests);
    }

    @Override
    public SetOffsets sets() {
        return progress.sets();
    }

    @Override
    public void stored(List<InFlight<E>> events) {
        events.forEach(this::processed);
        store.complete(events);
        tellStored(events);
    }

    @Override
    public void dropped(InFlight<E> event) {
        store.pass(event);
    }

    @Override
    public Standing standing(String persistenceId) {
        return new Standing(progress.storedTo(persistenceId), progress.isAppliedAgain(persistenceId));
    }

    private void tellStored(List<InFlight<E>> events) {
        List<E> envelopes = InFlight.envelopes(events);
        observers.offsetProgress(id, envelopes.get(envelopes.size() - 1));
        observers.onOffsetStored(envelopes.size());
    }
}
