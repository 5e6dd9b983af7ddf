package io.varve.persistence.internal.query;

import io.varve.persistence.internal.publish.PublishedEvents;
import io.varve.persistence.internal.publish.PublishedNumber;
import io.varve.persistence.internal.publish.PublishedNumbers;
import io.varve.store.SliceRange;
import io.varve.store.VarveException;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.slice.SliceEvent;
import io.varve.store.internal.slice.SliceQuery;
import io.varve.store.internal.slice.SliceStart;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.SourceShape;
import org.apache.pekko.stream.stage.AbstractOutHandler;
import org.apache.pekko.stream.stage.AsyncCallback;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.stream.stage.TimerGraphStageLogic;
import scala.Tuple2;
import scala.runtime.BoxedUnit;

/**
 * A stream of the events of a {@link SliceQuery}, each with its offset. The stage is the query's owner: all of it happens on the
 * stage's thread.
 */
final class SliceQueryStage extends GraphStage<SourceShape<Pair<Event, Offset>>> {
    private final Outlet<Pair<Event, Offset>> out = Outlet.create("SliceQuery.out");
    private final SourceShape<Pair<Event, Offset>> shape = SourceShape.of(out);
    private final Input input;

    SliceQueryStage(Input input) {
        this.input = input;
    }

    /** Where the events come from. */
    interface Input {
        /** A query that runs on the owner's thread, and tells it there when something has changed. */
        SliceQuery query(Executor owner, Runnable changed);

        /** The offsets of the events of one run. */
        EnvelopeOffsets offsets();

        /** The query's clock. */
        InstantSource clock();

        /** The ranges to read. */
        CompletionStage<Set<SliceRange>> ranges();

        /** What is done when the ranges cannot be read. */
        Retries retries();

        /** Whether there can be more ranges later: those of entity types that have no event of interest yet. */
        boolean rangesGrow();

        /** After which time to ask for ranges again. */
        Optional<Duration> rangesInterval();

        /** Makes events of a range that have just been stored come to the subscriber, if they are published. */
        void subscribe(SliceRange range, ActorRef subscriber);

        /** Whether events of an entity type that are stored here come to the subscriber. */
        boolean arePublishedHere(String entityType);

        /** The slices whose messages are numbered together with those of an entity. */
        SliceRange heardWith(String persistenceId);
    }

    private enum Timer {
        NEXT_STEP,
        RANGES
    }

    @Override
    public SourceShape<Pair<Event, Offset>> shape() {
        return shape;
    }

    @Override
    public GraphStageLogic createLogic(Attributes inheritedAttributes) {
        return new Logic();
    }

    private final class Logic extends TimerGraphStageLogic {
        private final AsyncCallback<Runnable> callback = createAsyncCallback(Runnable::run);
        private final SliceQuery query = input.query(callback::invoke, this::emit);
        private final Retries retries = input.retries();
        private final EnvelopeOffsets offsets = input.offsets();
        private final PublishedNumbers numbers = new PublishedNumbers();
        private final Set<SliceRange> known = new HashSet<>();
        /** When the ranges were asked for that are known; the beginning before the first time. */
        private Instant knownSince = Instant.EPOCH;

        Logic() {
            super(shape);
            setHandler(out, new AbstractOutHandler() {
                @Override
                public void onPull() {
                    emit();
                }
            });
        }

        @Override
        public void preStart() {
            getStageActor(this::receive);
            askForRanges();
        }

        @Override
        public void postStop() {
            query.close();
        }

        @Override
        public void onTimer(Object timer) {
            if (timer == Timer.RANGES) {
                askForRanges();
            } else {
                if (!known.isEmpty() && known.stream().allMatch(range -> input.arePublishedHere(range.entityType()))) {
                    query.publishingShown();
                }
                query.proceed();
                emit();
            }
        }

        private BoxedUnit receive(Tuple2<ActorRef, Object> message) {
            if (message._2() instanceof PublishedEvents published) {
                hear(published);
                query.published(published.events());
            }
            return BoxedUnit.UNIT;
        }

        private void hear(PublishedEvents published) {
            Optional<PublishedNumber> number = published.number();
            if (number.isEmpty()) {
                query.publishingDoubted();
            } else {
                query.publishingShown();
                if (!numbers.isNext(number.get())) {
                    query.missed(input.heardWith(published.persistenceId()));
                    emit();
                }
            }
        }

        private void askForRanges() {
            Instant asked = input.clock().instant();
            input.ranges()
                    .whenComplete((ranges, thrown) -> callback.invoke(() -> {
                        if (thrown == null) {
                            retries.succeeded();
                            add(ranges, asked);
                            input.rangesInterval().ifPresent(interval -> scheduleOnce(Timer.RANGES, interval));
                        } else {
                            askAgainAfter(thrown);
                        }
                    }));
        }

        private void askAgainAfter(Throwable thrown) {
            try {
                scheduleOnce(Timer.RANGES, retries.pauseAfter(thrown));
            } catch (CompletionException | VarveException e) {
                failStage(Causes.unwrap(e));
            }
        }

        /** What is new had no event of interest when the ranges were asked for the last time, so that it need not be read from before. */
        private void add(Set<SliceRange> ranges, Instant asked) {
            List<SliceRange> added = ranges.stream().filter(known::add).toList();
            Instant from = asked.isBefore(knownSince) ? asked : knownSince; // if the clock was ahead
            query.read(added, new SliceStart(Microseconds.of(from), Map.of()));
            if (input.rangesGrow()) {
                offsets.reads(added, from, asked);
            }
            knownSince = asked;
            if (input.rangesInterval().isPresent()) {
                query.mayMiss(Microseconds.of(asked));
            }
            added.forEach(range -> input.subscribe(range, stageActor().ref()));
            emit();
        }

        private void emit() {
            if (isAvailable(out)) {
                SliceEvent delivery = query.poll();
                if (delivery != null) {
                    push(out, Pair.create(delivery.event(), offsets.of(delivery)));
                }
            }
            Optional<Throwable> failure = query.failure();
            if (failure.isPresent()) {
                failStage(failure.get());
            } else if (query.isFinished()) {
                completeStage();
            } else {
                query.untilNextStep().ifPresent(delay -> scheduleOnce(Timer.NEXT_STEP, delay));
            }
        }
    }
}
