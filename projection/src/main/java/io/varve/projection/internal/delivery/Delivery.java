package io.varve.projection.internal.delivery;

import io.varve.projection.internal.event.Position;
import io.varve.projection.internal.progress.InFlight;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.Done;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** All that a delivery mode sees of the stream that it works for: it tries, says what is processed, and has it stored. */
public interface Delivery<E> extends ItemDelivery<E> {

    /** Processes, or skips, some events. */
    interface Processing<E> {
        CompletionStage<Done> run(List<InFlight<E>> events);
    }

    /** As {@link #attempt}, for a group. Where entities are parked, one that fails for good is halved, down to single events. */
    default CompletionStage<Done> attemptGroup(List<InFlight<E>> group, Processing<E> process, Processing<E> skip) {
        return attempt(group, () -> process.run(group), () -> skip.run(group));
    }

    /** The handler is done with an event. */
    void processed(InFlight<E> event);

    /** Nobody waits any more for the events of an entity before this one; returns those that were not processed. */
    List<Position> passOver(InFlight<E> event);

    /** What the user gave has failed, and the recovery strategy is not asked. */
    void failed(Throwable cause);

    /**
     * Stores, in one transaction and however long it takes, what a handler has made of events with their progress. They are
     * processed then.
     *
     * @return those of them that are stored: all; or those that were before, by whomever, in which case this has stored nothing.
     *     Fails with {@code TransactionRefusedException} if they can never be stored together
     */
    CompletionStage<List<InFlight<E>>> store(List<InFlight<E>> events, Collection<TransactWriteItem> changes);

    /** As {@link #store}, for events that are skipped. */
    CompletionStage<List<InFlight<E>>> storeSkipped(List<InFlight<E>> events);

    /** Processes events, and then stores their progress, however long it takes; the end of the stream waits for that. */
    CompletionStage<Done> save(List<InFlight<E>> events, Supplier<CompletionStage<Done>> process);
}
