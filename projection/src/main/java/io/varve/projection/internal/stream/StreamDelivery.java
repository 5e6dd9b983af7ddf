package io.varve.projection.internal.stream;

import io.varve.projection.internal.delivery.Delivery;
import io.varve.projection.internal.event.Position;
import io.varve.projection.internal.event.ProjectionSource;
import io.varve.projection.internal.pekko.SafeObservers;
import io.varve.projection.internal.progress.InFlight;
import io.varve.projection.internal.progress.ProgressStore;
import io.varve.projection.internal.progress.StreamProgress;
import io.varve.projection.internal.retry.HandlerRecovery;
import io.varve.store.internal.offset.SetOffsets;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
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
        ProgressStore<E> store)
        implements Delivery<E> {

    @Override
    public CompletionStage<Done> attempt(
            List<InFlight<E>> events, Supplier<CompletionStage<Done>> process, Supplier<CompletionStage<Done>> skip) {
        E first = events.get(0).envelopes().get(0);
        E last = events.get(events.size() - 1).envelopes().get(0);
        return recovery.run(first, source.offset(first), source.offset(last), process, skip);
    }

    @Override
    public void processed(InFlight<E> event) {
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
        return store.save(events, process).thenApply(done -> {
            tellStored(events);
            return done;
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
    public long storedTo(String persistenceId) {
        return store.storedTo(persistenceId);
    }

    private void tellStored(List<InFlight<E>> events) {
        List<E> envelopes = InFlight.envelopes(events);
        observers.offsetProgress(id, envelopes.get(envelopes.size() - 1));
        observers.onOffsetStored(envelopes.size());
    }
}
