package io.varve.persistence.internal.query;

import io.varve.persistence.internal.publish.PublishedEvents;
import io.varve.store.VarveException;
import io.varve.store.internal.async.Causes;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.replay.EventCursor;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletionException;
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

/**
 * The events of one entity, and those to come, until the last one is there. The table is read again after each interval, and when
 * events are published; those that are the next ones are taken as they are.
 */
final class EntityQueryStage extends GraphStage<SourceShape<Event>> {
    private final Outlet<Event> out = Outlet.create("EntityQuery.out");
    private final SourceShape<Event> shape = SourceShape.of(out);
    private final Input input;

    EntityQueryStage(Input input) {
        this.input = input;
    }

    /** Where the events come from. */
    interface Input {
        /** The events that are stored now, from a number on. */
        EventCursor events(long from);

        /** The first number. */
        long from();

        /** The last number. */
        long to();

        /** After which time to read again. */
        Duration interval();

        /** What is done when the events cannot be read. */
        Retries retries();

        /** Makes the entity's events that have just been stored come to the subscriber, if they are published. */
        void subscribe(ActorRef subscriber);
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
        private static final String READ_AGAIN = "read again";

        private final AsyncCallback<Runnable> callback = createAsyncCallback(Runnable::run);
        private final Retries retries = input.retries();
        private final Queue<Event> waiting = new ArrayDeque<>();
        private EventCursor cursor = input.events(Math.max(1, input.from()));
        private boolean reading;
        /** The highest number that was published since the last read began. */
        private long published;

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
            input.subscribe(getStageActor(this::receive).ref());
        }

        @Override
        public void onTimer(Object timer) {
            readAgain();
        }

        private void emit() {
            Event event = waiting.poll();
            if (event != null) {
                push(out, event);
            } else if (!reading && !isTimerActive(READ_AGAIN)) {
                read();
            }
        }

        private void read() {
            reading = true;
            cursor.next()
                    .whenComplete((page, thrown) -> callback.invoke(() -> {
                        reading = false;
                        if (thrown == null) {
                            retries.succeeded();
                            found(page);
                        } else {
                            failed(thrown);
                        }
                    }));
        }

        private void found(Optional<List<Event>> page) {
            if (page.isPresent()) {
                waiting.addAll(page.get());
                emit();
            } else if (cursor.nextSequenceNumber() > input.to()) {
                completeStage();
            } else if (published >= cursor.nextSequenceNumber()) {
                readAgain();
            } else {
                scheduleOnce(READ_AGAIN, input.interval());
            }
        }

        private void failed(Throwable thrown) {
            try {
                scheduleOnce(READ_AGAIN, retries.pauseAfter(thrown));
            } catch (CompletionException | VarveException e) {
                failStage(Causes.unwrap(e));
            }
        }

        private void readAgain() {
            cancelTimer(READ_AGAIN);
            cursor = input.events(cursor.nextSequenceNumber());
            published = 0;
            read();
        }

        private BoxedUnit receive(Tuple2<ActorRef, Object> message) {
            if (message._2() instanceof PublishedEvents events) {
                received(events.events());
            }
            return BoxedUnit.UNIT;
        }

        private void received(List<Event> events) {
            long next = cursor.nextSequenceNumber();
            long last = events.get(events.size() - 1).sequenceNumber();
            if (!isTimerActive(READ_AGAIN) || last < next) {
                published = Math.max(published, last);
            } else if (events.get(0).sequenceNumber() > next || last > input.to()) {
                readAgain();
            } else {
                cancelTimer(READ_AGAIN);
                cursor = input.events(last + 1);
                events.stream().filter(event -> event.sequenceNumber() >= next).forEach(waiting::add);
                emit();
            }
        }
    }
}
