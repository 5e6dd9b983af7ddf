package io.varve.persistence.query;

import io.varve.store.EventReader;
import io.varve.store.entity.Listing;
import io.varve.store.entity.PersistenceIds;
import io.varve.store.layout.Event;
import io.varve.store.replay.EventCursor;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.pekko.NotUsed;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.stream.javadsl.Source;

/** Streams of one entity's events, and of all entities. */
final class EntityStreams {
    private final EventReader events;
    private final PersistenceIds entities;
    private final Function<Duration, CompletionStage<Void>> pause;

    /** @param pause completes after a while */
    EntityStreams(EventReader events, PersistenceIds entities, Function<Duration, CompletionStage<Void>> pause) {
        this.events = events;
        this.entities = entities;
        this.pause = pause;
    }

    /** The events of an entity, both bounds inclusive; with an interval those to come as well, until the last one is there. */
    Source<Event, NotUsed> events(String persistenceId, long from, long to, Optional<Duration> interval) {
        return Source.unfoldAsync(
                        events.events(persistenceId, from, to), cursor -> next(persistenceId, cursor, to, interval))
                .mapConcat(page -> page);
    }

    private CompletionStage<Optional<Pair<EventCursor, List<Event>>>> next(
            String persistenceId, EventCursor cursor, long to, Optional<Duration> interval) {
        return cursor.next().thenCompose(page -> {
            if (page.isPresent()) {
                return CompletableFuture.completedFuture(Optional.of(Pair.create(cursor, page.get())));
            }
            long next = cursor.nextSequenceNumber();
            if (interval.isEmpty() || next > to) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            return pause.apply(interval.get())
                    .thenApply(passed -> Optional.of(Pair.create(events.events(persistenceId, next, to), List.of())));
        });
    }

    /** All entities, or those that follow an id. */
    Source<String, NotUsed> entities(Optional<String> after, int pageSize) {
        return Source.unfoldAsync(
                        entities.list(after, pageSize),
                        listing -> listing.next().thenApply(page -> page.map(ids -> Pair.create(listing, ids))))
                .mapConcat(ids -> ids);
    }

    /** All entities, and those to come; each once, so that all ids are kept in memory. */
    Source<String, NotUsed> entities(Duration interval) {
        return Source.lazySource(() -> {
                    Set<String> seen = new HashSet<>();
                    return Source.unfoldAsync(entities.list(Optional.empty()), listing -> next(listing, interval))
                            .mapConcat(ids -> ids.stream().filter(seen::add).toList());
                })
                .mapMaterializedValue(value -> NotUsed.getInstance());
    }

    private CompletionStage<Optional<Pair<Listing, List<String>>>> next(Listing listing, Duration interval) {
        return listing.next()
                .thenCompose(page -> page.isPresent()
                        ? CompletableFuture.completedFuture(Optional.of(Pair.create(listing, page.get())))
                        : pause.apply(interval)
                                .thenApply(passed ->
                                        Optional.of(Pair.create(entities.list(Optional.empty()), List.of()))));
    }
}
