package io.varve.persistence.internal.query;

import io.varve.persistence.internal.publish.Subscriptions;
import io.varve.store.internal.entity.Listing;
import io.varve.store.internal.entity.PersistenceIds;
import io.varve.store.internal.journal.EventReader;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.replay.EventCursor;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.stream.javadsl.Source;

/** Streams of one entity's events, and of all entities. Each can be run any number of times, from its beginning. */
final class EntityStreams {
    private final EventReader events;
    private final PersistenceIds entities;
    private final int maxFailures;
    private final Function<Duration, CompletionStage<Void>> pause;
    private final Subscriptions subscriptions;

    /** @param pause completes after a while */
    EntityStreams(
            EventReader events,
            PersistenceIds entities,
            int maxFailures,
            Function<Duration, CompletionStage<Void>> pause,
            Subscriptions subscriptions) {
        this.events = events;
        this.entities = entities;
        this.maxFailures = maxFailures;
        this.pause = pause;
        this.subscriptions = subscriptions;
    }

    /** The events of an entity that are there, both bounds inclusive. */
    Source<Event, NotUsed> events(String persistenceId, long from, long to) {
        return perRun(() -> Source.unfoldAsync(
                        events.events(persistenceId, from, to),
                        cursor -> cursor.next().thenApply(page -> page.map(found -> Pair.create(cursor, found))))
                .mapConcat(page -> page));
    }

    /** The events of an entity, both bounds inclusive, and those to come, until the last one is there. */
    Source<Event, NotUsed> events(String persistenceId, long from, long to, Duration interval) {
        return Source.fromGraph(new EntityQueryStage(new Following(persistenceId, from, to, interval)));
    }

    /** What a live query of an entity's events reads. */
    private final class Following implements EntityQueryStage.Input {
        private final String persistenceId;
        private final long from;
        private final long to;
        private final Duration interval;

        Following(String persistenceId, long from, long to, Duration interval) {
            this.persistenceId = persistenceId;
            this.from = from;
            this.to = to;
            this.interval = interval;
        }

        @Override
        public EventCursor events(long first) {
            return events.events(persistenceId, first, to);
        }

        @Override
        public long from() {
            return from;
        }

        @Override
        public long to() {
            return to;
        }

        @Override
        public Duration interval() {
            return interval;
        }

        @Override
        public Retries retries() {
            return new Retries("the events of '" + persistenceId + "'", maxFailures, interval);
        }

        @Override
        public void subscribe(ActorRef subscriber) {
            subscriptions.toEntity(persistenceId, subscriber);
        }
    }

    /** All entities, or those that follow an id. */
    Source<String, NotUsed> entities(Optional<String> after, int pageSize) {
        return perRun(() -> Source.unfoldAsync(
                        entities.list(after, pageSize),
                        listing -> listing.next().thenApply(page -> page.map(ids -> Pair.create(listing, ids))))
                .mapConcat(ids -> ids));
    }

    /** All entities, and those to come; each once, so that all ids are kept in memory. */
    Source<String, NotUsed> entities(Duration interval) {
        return perRun(() -> {
            Set<String> seen = new HashSet<>();
            Retries retries = new Retries("the list of entities", maxFailures, interval);
            return Source.unfoldAsync(entities.list(Optional.empty()), listing -> next(listing, interval, retries))
                    .mapConcat(ids -> ids.stream().filter(seen::add).toList());
        });
    }

    private CompletionStage<Optional<Pair<Listing, List<String>>>> next(
            Listing listing, Duration interval, Retries retries) {
        return listing.next()
                .thenCompose(page -> {
                    retries.succeeded();
                    return page.isPresent()
                            ? CompletableFuture.completedFuture(Optional.of(Pair.create(listing, page.get())))
                            : pause.apply(interval)
                                    .thenApply(passed -> Optional.of(
                                            Pair.create(entities.list(Optional.empty()), List.<String>of())));
                })
                .exceptionallyCompose(thrown -> pause.apply(retries.pauseAfter(thrown))
                        .thenApply(passed -> Optional.of(Pair.create(listing, List.of()))));
    }

    /** A source whose state is made anew for each run. */
    private static <T> Source<T, NotUsed> perRun(Supplier<Source<T, NotUsed>> source) {
        return Source.lazySource(source::get).mapMaterializedValue(value -> NotUsed.getInstance());
    }
}
