package io.varve.example.shoppingcart.http;

import io.varve.example.shoppingcart.CartEvent;
import io.varve.example.shoppingcart.EventFeed;
import java.time.Duration;
import java.util.Optional;
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

    EventRoutes(ActorRef<EventFeed.Command> feed) {
        this.feed = feed;
    }

    Route create() {
        return path("events", () -> get(() -> completeOK(events(), EventStreamMarshalling.toEventStream())));
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
