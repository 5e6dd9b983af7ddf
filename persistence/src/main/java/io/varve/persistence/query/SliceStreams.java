package io.varve.persistence.query;

import io.varve.store.EventReader;
import io.varve.store.layout.Event;
import io.varve.store.slice.SliceIndex;
import io.varve.store.slice.SliceQuery;
import io.varve.store.slice.SliceQuerySettings;
import io.varve.store.slice.SliceRange;
import io.varve.store.slice.SliceStart;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
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
    private final SliceIndex index;
    private final EventReader events;
    private final SliceQuerySettings settings;
    private final InstantSource clock;
    private final BiConsumer<SliceRange, ActorRef> subscribe;

    SliceStreams(
            SliceIndex index,
            EventReader events,
            SliceQuerySettings settings,
            InstantSource clock,
            BiConsumer<SliceRange, ActorRef> subscribe) {
        this.index = index;
        this.events = events;
        this.settings = settings;
        this.clock = clock;
        this.subscribe = subscribe;
    }

    /** The events of a range. */
    Source<Pair<Event, Offset>, NotUsed> events(SliceRange range, Offset offset, boolean live) {
        return stream(() -> CompletableFuture.completedFuture(Set.of(range)), Optional.empty(), offset, live);
    }

    /** The events of ranges that can become more while the stream runs. */
    Source<Pair<Event, Offset>, NotUsed> events(
            Supplier<CompletionStage<Set<SliceRange>>> ranges, Offset offset, boolean live) {
        return stream(ranges, live ? Optional.of(settings.refreshInterval()) : Optional.empty(), offset, live);
    }

    private Source<Pair<Event, Offset>, NotUsed> stream(
            Supplier<CompletionStage<Set<SliceRange>>> ranges,
            Optional<Duration> interval,
            Offset offset,
            boolean live) {
        boolean perSlice = offset instanceof SliceOffsets;
        SliceQuery.Plan plan = new SliceQuery.Plan(starts(offset), perSlice, live);
        SliceQueryStage stage = new SliceQueryStage(new SliceQueryStage.Input() {
            @Override
            public SliceQuery query(Executor owner, Runnable changed) {
                return new SliceQuery(index, events, settings, plan, clock, owner, changed);
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
            public Optional<Duration> rangesInterval() {
                return interval;
            }

            @Override
            public void subscribe(SliceRange range, ActorRef subscriber) {
                if (live) {
                    subscribe.accept(range, subscriber);
                }
            }
        });
        return Source.fromGraph(stage).statefulMapConcat(() -> {
            EnvelopeOffsets offsets = EnvelopeOffsets.startingAt(offset, clock);
            return event -> List.of(Pair.create(event, offsets.apply(event)));
        });
    }

    private static IntFunction<SliceStart> starts(@Nullable Offset offset) {
        if (offset instanceof SliceOffsets slices) {
            return slice -> slices.offset(slice).map(SliceStreams::start).orElse(SliceStart.BEGINNING);
        }
        if (offset instanceof TimestampOffset timestamp) {
            SliceStart start = start(timestamp);
            return slice -> start;
        }
        if (offset == NoOffset$.MODULE$) {
            return slice -> SliceStart.BEGINNING;
        }
        throw new IllegalArgumentException("A query of slices or tags cannot begin at "
                + (offset == null
                        ? "null"
                        : "the offset " + offset + " of type "
                                + offset.getClass().getName())
                + ": give it the offset of one of its envelopes (a TimestampOffset), SliceOffsets, or NoOffset.");
    }

    private static SliceStart start(TimestampOffset offset) {
        return new SliceStart(EnvelopeOffsets.micros(offset.timestamp()), Map.copyOf(offset.getSeen()));
    }
}
