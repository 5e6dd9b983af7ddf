package io.varve.example.shoppingcart.http;

import io.varve.example.shoppingcart.CartEvent;
import io.varve.example.shoppingcart.EventFeed;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.http.javadsl.marshalling.sse.EventStreamMarshalling;
import org.apache.pekko.http.javadsl.model.sse.ServerSentEvent;
import org.apache.pekko.http.javadsl.server.AllDirectives;
import org.apache.pekko.http.javadsl.server.Route;
import org.apache.pekko.stream.OverflowStrategy;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.stream.typed.javadsl.ActorSource;

/** The events of all carts as they are stored, as server-sent events. A reader that is too slow misses some. */
final class EventRoutes extends AllDirectives {
    private static final int WAITING = 256;

    private final ActorRef<EventFeed.Command> feed;
    private final int mostStreams;
    private final AtomicInteger streams = new AtomicInteger();

    EventRoutes(ActorRef<EventFeed.Command> feed, int mostStreams) {
        this.feed = feed;
        this.mostStreams = mostStreams;
    }

    Route create() {
        return path(
                "events",
                () -> get(() -> {
                    if (streams.get() >= mostStreams) {
                        throw new ErrorAnswers.TooManyException(
                                "There are " + mostStreams
                                        + " event streams of this node already: close one, or raise shopping-cart.http.event-streams.");
                    }
                    return completeOK(counted(), EventStreamMarshalling.toEventStream());
                }));
    }

    /** Counted from when it runs, so that none is counted that never does; what began in the same moment finds it closed. */
    private Source<ServerSentEvent, NotUsed> counted() {
        return Source.fromMaterializer((materializer, attributes) ->
                        streams.incrementAndGet() > mostStreams ? Source.<ServerSentEvent>empty() : events())
                .watchTermination((stream, done) -> {
                    done.whenComplete((ended, failed) -> streams.decrementAndGet());
                    return NotUsed.getInstance();
                });
    }

    private Source<ServerSentEvent, NotUsed> events() {
        return ActorSource.<CartEvent>actorRef(
                        event -> false, event -> Optional.empty(), WAITING, OverflowStrategy.dropHead())
                .mapMaterializedValue(subscriber -> {
                    feed.tell(new EventFeed.Subscribe(subscriber));
                    return NotUsed.getInstance();
                })
                .map(event -> ServerSentEvent.create(Json.text(event)))
                .keepAlive(Duration.ofSeconds(10), ServerSentEvent::heartbeat);
    }
}
