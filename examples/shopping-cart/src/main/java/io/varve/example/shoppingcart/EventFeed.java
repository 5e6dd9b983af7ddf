package io.varve.example.shoppingcart;

import io.varve.persistence.query.javadsl.DynamoDBReadJournal;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.PersistenceQuery;
import org.apache.pekko.persistence.query.TimestampOffset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.stream.Materializer;

/**
 * Watches the events of all carts with one live query for this node, and shows them to any number of subscribers. If the
 * query fails, it begins anew; subscribers stay and may see events again.
 */
public final class EventFeed extends AbstractBehavior<EventFeed.Command> {
    private static final int RECENT = 50;

    private final NavigableSet<CartEvent> recent = new TreeSet<>(
            Comparator.comparing(CartEvent::time).thenComparing(CartEvent::cart).thenComparing(CartEvent::number));
    private final Set<ActorRef<CartEvent>> subscribers;

    /** What the feed understands. */
    public sealed interface Command {}

    /** Sends the latest events, and all further ones, until the subscriber ends. */
    public record Subscribe(ActorRef<CartEvent> subscriber) implements Command {}

    private record Unsubscribe(ActorRef<CartEvent> subscriber) implements Command {}

    private record Happened(CartEvent event) implements Command {}

    private record Ended(Throwable cause) implements Command {}

    private EventFeed(ActorContext<Command> context, Duration history, Set<ActorRef<CartEvent>> subscribers) {
        super(context);
        this.subscribers = subscribers;
        PersistenceQuery.get(context.getSystem())
                .getReadJournalFor(DynamoDBReadJournal.class, DynamoDBReadJournal.Identifier())
                .<Event>eventsBySlices(
                        ShoppingCart.TYPE.name(),
                        0,
                        1023,
                        Offset.timestamp(Instant.now().minus(history)))
                .map(CartEvent::of)
                .runForeach(
                        event -> context.getSelf().tell(new Happened(event)), Materializer.createMaterializer(context))
                .whenComplete((done, failed) -> context.getSelf()
                        .tell(new Ended(
                                failed == null ? new IllegalStateException("A live query has no end") : failed)));
    }

    /** A feed that begins with the events of the last while. */
    public static Behavior<Command> create(Duration history) {
        return Behaviors.setup(lasting -> {
            Set<ActorRef<CartEvent>> subscribers = new HashSet<>();
            return Behaviors.supervise(
                            Behaviors.<Command>setup(context -> new EventFeed(context, history, subscribers)))
                    .onFailure(
                            SupervisorStrategy.restartWithBackoff(Duration.ofSeconds(1), Duration.ofSeconds(30), 0.2));
        });
    }

    static Instant timeOf(EventEnvelope<?> envelope) {
        return ((TimestampOffset) envelope.offset()).timestamp();
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Happened.class, happened -> show(happened.event()))
                .onMessage(Subscribe.class, subscribe -> subscribe(subscribe.subscriber()))
                .onMessage(Unsubscribe.class, unsubscribe -> {
                    subscribers.remove(unsubscribe.subscriber());
                    return this;
                })
                .onMessage(Ended.class, ended -> {
                    throw new IllegalStateException("The query of all events has ended", ended.cause());
                })
                .build();
    }

    private Behavior<Command> show(CartEvent event) {
        recent.add(event);
        if (recent.size() > RECENT) {
            recent.pollFirst();
        }
        subscribers.forEach(subscriber -> subscriber.tell(event));
        return this;
    }

    private Behavior<Command> subscribe(ActorRef<CartEvent> subscriber) {
        recent.forEach(subscriber::tell);
        subscribers.add(subscriber);
        getContext().watchWith(subscriber, new Unsubscribe(subscriber));
        return this;
    }
}
