package io.varve.projection.internal.progress;

import io.varve.projection.internal.retry.OutageRetries;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.pekko.Done;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** Stores what handlers have processed, however long it takes; only then it counts as complete. */
public record ProgressStore<E>(
        StreamProgress progress, Transactions<E> transactions, OffsetSaver saver, OutageRetries outages) {

    /**
     * Stores changes and the progress of events in one transaction.
     *
     * @param processed hears of each event that is stored
     * @return those that are stored: all; or those that were before, by whomever, in which case this has stored nothing
     */
    public CompletionStage<List<InFlight<E>>> store(
            List<InFlight<E>> events, Collection<TransactWriteItem> changes, Consumer<InFlight<E>> processed) {
        return outages.run(() -> transactions.store(changes, events)).thenApply(elsewhere -> {
            List<InFlight<E>> stored = elsewhere.isEmpty() ? events : elsewhere;
            stored.forEach(processed);
            progress.complete(stored);
            return stored;
        });
    }

    /** Sends requests until DynamoDB does what they ask for; fails if it never will. */
    public <T> CompletionStage<T> untilItWorks(Supplier<CompletionStage<T>> requests) {
        return outages.run(requests);
    }

    /** Events are processed, and that is stored elsewhere. */
    public void complete(List<InFlight<E>> events) {
        progress.complete(events);
    }

    /** An event has nothing to process. */
    public void pass(InFlight<E> event) {
        progress.pass(event);
    }

    /** Processes events, and then stores their progress; {@link OffsetSaver#saved} waits for that. */
    public CompletionStage<Done> save(List<InFlight<E>> events, Supplier<CompletionStage<Done>> process) {
        return save(events, process, failed -> CompletableFuture.completedFuture(Done.getInstance()))
                .thenApply(processed -> Done.getInstance());
    }

    /**
     * The same, where entities can be parked at events: that is stored last, because the row of an entity's last processed event
     * would replace the one that says so.
     *
     * @return those that are processed
     */
    public CompletionStage<List<InFlight<E>>> save(
            List<InFlight<E>> events, Supplier<CompletionStage<Done>> process, Parking<E> parking) {
        return saver.saving(() -> process.get().thenCompose(done -> {
            List<InFlight<E>> processed = events.stream()
                    .filter(event -> !event.isSetAside() && event.failure().isEmpty())
                    .toList();
            return saver.save(processed)
                    .thenCompose(saved -> {
                        progress.complete(processed);
                        return park(events, parking);
                    })
                    .thenApply(parked -> processed);
        }));
    }

    /** Sets the entity of an event aside. */
    public interface Parking<E> {
        CompletionStage<Done> park(InFlight<E> event);
    }

    private static <E> CompletionStage<Done> park(List<InFlight<E>> events, Parking<E> parking) {
        CompletionStage<Done> all = CompletableFuture.completedFuture(Done.getInstance());
        for (InFlight<E> event : events) {
            if (event.failure().isPresent()) {
                all = all.thenCompose(done -> parking.park(event));
            }
        }
        return all;
    }
}
