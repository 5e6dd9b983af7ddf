package io.varve.persistence.query;

import io.varve.store.VarveException;
import io.varve.store.client.Causes;
import io.varve.store.layout.Event;
import io.varve.store.slice.SliceQuery;
import io.varve.store.slice.SliceRange;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.apache.pekko.actor.ActorRef;
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

/** A stream of the events of a {@link SliceQuery}. The stage is the query's owner: all of it happens on the stage's thread. */
final class SliceQueryStage extends GraphStage<SourceShape<Event>> {
    private final Outlet<Event> out = Outlet.create("SliceQuery.out");
    private final SourceShape<Event> shape = SourceShape.of(out);
    private final Input input;

    SliceQueryStage(Input input) {
        this.input = input;
    }

    /** Where the events come from. */
    interface Input {
        /** A query that runs on the owner's thread, and tells it there when something has changed. */
        SliceQuery query(Executor owner, Runnable changed);

        /** The ranges to read. */
        CompletionStage<Set<SliceRange>> ranges();

        /** What is done when the ranges cannot be read. */
        Retries retries();

        /** After which time to ask for ranges again. */
        Optional<Duration> rangesInterval();

        /** Makes events of a range that have just been stored come to the subscriber, if they are published. */
        void subscribe(SliceRange range, ActorRef subscriber);
    }

    private enum Timer {
        NEXT_STEP,
        RANGES
    }

    @Override
    public SourceShape<Event> shape() {
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
        private final Set<SliceRange> known = new HashSet<>();

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
                query.proceed();
                emit();
            }
        }

        private BoxedUnit receive(Tuple2<ActorRef, Object> message) {
            if (message._2() instanceof PublishedEvents published) {
                query.published(published.events());
            }
            return BoxedUnit.UNIT;
        }

        private void askForRanges() {
            input.ranges()
                    .whenComplete((ranges, thrown) -> callback.invoke(() -> {
                        if (thrown == null) {
                            retries.succeeded();
                            add(ranges);
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

        private void add(Set<SliceRange> ranges) {
            List<SliceRange> added = ranges.stream().filter(known::add).toList();
            query.read(added);
            added.forEach(range -> input.subscribe(range, stageActor().ref()));
            emit();
        }

        private void emit() {
            if (isAvailable(out)) {
                Event event = query.poll();
                if (event != null) {
                    push(out, event);
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
