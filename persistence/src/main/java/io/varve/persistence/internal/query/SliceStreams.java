package io.varve.persistence.internal.query;

import io.varve.persistence.internal.publish.Subscriptions;
import io.varve.persistence.query.SliceOffsets;
import io.varve.store.SliceRange;
import io.varve.store.internal.journal.EventReader;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.slice.SliceIndex;
import io.varve.store.internal.slice.SliceQuery;
import io.varve.store.internal.slice.SliceQuerySettings;
import io.varve.store.internal.slice.SliceStart;
import io.varve.store.internal.slice.SliceStarts;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.persistence.query.NoOffset$;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.TimestampOffset;
import org.apache.pekko.stream.javadsl.Source;
import org.jspecify.annotations.Nullable;

/** Streams of stored events from the slice index, each event with its offset. */
final class SliceStreams {
    private static final Duration QUIET = Duration.ofHours(1);

    private final SliceIndex index;
    private final EventReader events;
    private final SliceQuerySettings settings;
    private final InstantSource clock;
    private final Subscriptions subscriptions;
    /** How far a place can be behind its floor before it gives way, in microseconds: longer than late events are looked for. */
    private final long quiet;

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
        this.quiet = Math.max(Microseconds.of(QUIET), Microseconds.of(settings.trustedAge()));
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
        SliceQuery.Plan plan = new SliceQuery.Plan(starts(offset, grow), perSlice, live);
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
        };
    }

    private SliceStarts starts(@Nullable Offset offset, boolean grow) {
        if (offset instanceof SliceOffsets slices) {
            return starts(slices, grow);
        }
        if (offset instanceof TimestampOffset timestamp) {
            SliceStart start = start(timestamp);
            return (entityType, slice) -> start;
        }
        if (offset == NoOffset$.MODULE$) {
            return (entityType, slice) -> SliceStart.BEGINNING;
        }
        throw new IllegalArgumentException("A query of slices or tags cannot begin at "
                + (offset == null
                        ? "null"
                        : "the offset " + offset + " of type "
                                + offset.getClass().getName())
                + ": give it the offset of one of its envelopes (a TimestampOffset), SliceOffsets, or NoOffset.");
    }

    /**
     * A slice begins at its place, or where it has none at its floor. An entity type that had no event of interest when the offset
     * was made begins at that time.
     */
    private SliceStarts starts(SliceOffsets offsets, boolean grow) {
        Set<String> known = offsets.entityTypes();
        return (entityType, slice) -> {
            String named = grow && !known.contains(entityType) ? SliceOffsets.ANY_TYPE : entityType;
            SliceStart floor = offsets.floor(named, slice)
                    .map(time -> new SliceStart(Microseconds.of(time), Map.of()))
                    .orElse(SliceStart.BEGINNING);
            return offsets.offset(entityType, slice)
                    .map(SliceStreams::start)
                    .filter(place -> place.timestamp() >= floor.timestamp() - quiet)
                    .orElse(floor);
        };
    }

    private static SliceStart start(TimestampOffset offset) {
        return new SliceStart(Microseconds.of(offset.timestamp()), Map.copyOf(offset.getSeen()));
    }
}
