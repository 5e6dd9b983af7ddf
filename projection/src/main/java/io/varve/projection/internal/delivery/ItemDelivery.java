package io.varve.projection.internal.delivery;

import io.varve.projection.internal.progress.InFlight;
import io.varve.store.internal.offset.SetOffsets;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.Done;

/** What a delivery mode sees of its stream that stores the progress of events itself. */
public interface ItemDelivery<E> {

    /**
     * Tries to process events by the recovery strategy, which can also skip them. Where entities are parked, that of a single event
     * that fails for good is, and nothing is done for events that came after it.
     */
    CompletionStage<Done> attempt(
            List<InFlight<E>> events, Supplier<CompletionStage<Done>> process, Supplier<CompletionStage<Done>> skip);

    /** Sends requests until DynamoDB does what they ask for; fails if it never will. */
    <T> CompletionStage<T> untilItWorks(Supplier<CompletionStage<T>> requests);

    /** What was set by hand before the stream has started. */
    SetOffsets sets();

    /** Events are processed, and that is stored. */
    void stored(List<InFlight<E>> events);

    /** What the events of an entity were let in by. */
    Standing standing(String persistenceId);

    /**
     * What an item reflected when events of its entity were let in, or later.
     *
     * @param storedTo the timestamp of the last event that is known to be stored; 0 if none is
     * @param again whether its events are processed again from the first one on
     */
    record Standing(long storedTo, boolean again) {}

    /** An event has nothing to process. */
    void dropped(InFlight<E> event);
}
