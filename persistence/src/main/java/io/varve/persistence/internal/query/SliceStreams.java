package io.varve.persistence.internal.query;

import io.varve.persistence.internal.publish.Subscriptions;
import io.varve.persistence.query.SliceOffsets;
import io.varve.store.SliceRange;
import io.varve.store.internal.journal.EventReader;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.slice.SliceIndex;
import io.varve.store.internal.slice.SliceQuery;
import io.varve.store.internal.slice.SliceQuerySettings;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.stream.javadsl.Source;

/** Streams of stored events from the slice index, each event with its offset. */
final class SliceStreams {
    private final SliceIndex index;
    private final EventReader events;
    private final SliceQuerySettings settings;
    private final InstantSource clock;
    private final Subscriptions subscriptions;

    SliceStreams(
            SliceIndex index,
            EventReader events,
            SliceQuerySettings settings,
            InstantSource clock,
            Subscriptions subscriptions) {
        this.index = index;
        this.events = events;
        this.settings = settings;
        this.clock = clock;
        this.subscriptions = subscriptions;
    }

    /** The events of ranges. */
    Source<Pair<Event, Offset>, NotUsed> events(Set<SliceRange> ranges, Offset offset, boolean live) {
        return stream(() -> CompletableFuture.completedFuture(ranges), false, offset, live);
    }

    /**
     * The events of ranges that can become more: the source names all entity types that have had an event of interest so far, each
     * with all of its slices.
     */
    Source<Pair<Event, Offset>, NotUsed> eventsOfTypes(
            Supplier<CompletionStage<Set<SliceRange>>> ranges, Offset offset, boolean live) {
        return stream(ranges, true, offset, live);
    }

    private Source<Pair<Event, Offset>, NotUsed> stream(
            Supplier<CompletionStage<Set<SliceRange>>> ranges, boolean grow, Offset offset, boolean live) {
        boolean perSlice = offset instanceof SliceOffsets;
        SliceQuery.Plan plan = new SliceQuery.Plan(OffsetStarts.of(offset, grow, settings), perSlice, live);
        return Source.fromGraph(new SliceQueryStage(input(ranges, grow, offset, plan)));
    }

    private SliceQueryStage.Input input(
            Supplier<CompletionStage<Set<SliceRange>>> ranges, boolean grow, Offset offset, SliceQuery.Plan plan) {
        return new SliceQueryStage.Input() {
            @Override
            public SliceQuery query(Executor owner, Runnable changed) {
                return new SliceQuery(index, events, settings, plan, clock, owner, changed);
            }

            @Override
            public EnvelopeOffsets offsets() {
                return EnvelopeOffsets.startingAt(offset, clock);
            }

            @Override
            public InstantSource clock() {
                return clock;
            }

            @Override
            public CompletionStage<Set<SliceRange>> ranges() {
                return events.ready().thenCompose(ready -> ranges.get());
            }

            @Override
            public Retries retries() {
                return new Retries("which slices to query", settings.maxFailures(), settings.refreshInterval());
            }

            @Override
            public boolean rangesGrow() {
                return grow;
            }

            @Override
            public Optional<Duration> rangesInterval() {
                return grow && plan.live() ? Optional.of(settings.refreshInterval()) : Optional.empty();
            }

            @Override
            public void subscribe(SliceRange range, ActorRef subscriber) {
                if (plan.live()) {
                    subscriptions.toSlices(range, subscriber);
                }
            }

            @Override
            public boolean arePublishedHere(String entityType) {
                return subscriptions.arePublishedHere(entityType);
            }

            @Override
            public SliceRange heardWith(String persistenceId) {
                return subscriptions.heardWith(persistenceId);
            }
        };
    }
}
