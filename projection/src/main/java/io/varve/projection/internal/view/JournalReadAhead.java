package io.varve.projection.internal.view;

import io.varve.projection.internal.event.AdaptedEvent;
import io.varve.projection.internal.event.EntityEvents;
import io.varve.projection.internal.event.Position;
import io.varve.projection.internal.progress.InFlight;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.layout.Microseconds;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.stream.javadsl.Sink;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what follows in the journal, when the projection is behind: then more of the entity is likely to come, and one query and one write
 * replace a write for each event. When the events come by themselves, the item reflects them.
 *
 * @param after how old an event must be for that; absent to read nothing
 */
record JournalReadAhead<E>(
        EntityEvents<E> journal, Optional<Duration> after, InstantSource clock, ActorSystem<?> system)
        implements EntityItems.ReadAhead<E> {
    private static final Logger LOG = LoggerFactory.getLogger(JournalReadAhead.class);
    private static final int MOST = 1_000;

    @Override
    public CompletionStage<List<AdaptedEvent<E>>> after(List<InFlight<E>> waiting, boolean isFirst) {
        Position last = waiting.get(waiting.size() - 1).position();
        boolean manyMayFollow = isFirst || waiting.size() > 1;
        if (!manyMayFollow || !journal.skipsHoles() || !isOld(last)) {
            return CompletableFuture.completedFuture(List.of());
        }
        return journal.events(last.persistenceId(), last.sequenceNumber(), Long.MAX_VALUE)
                .take(MOST + 1)
                .via(AdaptedEvent.assembling())
                .runWith(Sink.seq(), system)
                .thenApply(events -> following(last, events))
                .exceptionally(thrown -> {
                    LOG.debug("What follows {} could not be read; it comes by itself.", last, Causes.unwrap(thrown));
                    return List.of();
                });
    }

    /** Nothing, if the journal does not hold the event itself any more: perhaps its entity has begun anew. */
    private static <E> List<AdaptedEvent<E>> following(Position last, List<AdaptedEvent<E>> events) {
        return !events.isEmpty() && events.get(0).position().equals(last)
                ? events.subList(1, events.size())
                : List.of();
    }

    private boolean isOld(Position event) {
        return after.filter(age -> Microseconds.toInstant(event.timestamp())
                        .isBefore(clock.instant().minus(age)))
                .isPresent();
    }
}
