package io.varve.projection.internal.delivery;

import io.varve.projection.internal.admission.LastProcessedEvents;
import io.varve.projection.internal.progress.InFlight;
import io.varve.store.internal.offset.OffsetTable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;

/** How a stream processes events, and when it stores their progress; with a handler of its own. */
public interface DeliveryMode<E> {

    /** Processes what was let in. */
    Source<Done, NotUsed> process(Source<InFlight<E>, NotUsed> admitted, Delivery<E> delivery);

    /** Whether the progress of each event is stored in a transaction with what its handler changes; else afterwards. */
    default boolean isExactlyOnce() {
        return false;
    }

    /** Who knows what was processed: the rows of the offset table, unless the mode stores it elsewhere. */
    default LastProcessedEvents lastProcessedEvents(OffsetTable table) {
        return LastProcessedEvents.of(table);
    }

    /** Whether it is stored in items of the user's: then the mode also takes events that have nothing to process. */
    default boolean hasProgressInItems() {
        return false;
    }

    /** Starts the handler. */
    default CompletionStage<Done> start() {
        return CompletableFuture.completedFuture(Done.getInstance());
    }

    /** Stops the handler. */
    default CompletionStage<Done> stop() {
        return CompletableFuture.completedFuture(Done.getInstance());
    }
}
