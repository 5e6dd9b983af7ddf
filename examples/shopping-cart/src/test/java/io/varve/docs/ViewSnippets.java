package io.varve.docs;

import io.varve.example.shoppingcart.Event;
import io.varve.projection.DynamoDBItemHandler;
import io.varve.projection.ItemChange;
import io.varve.projection.ItemTable;
import io.varve.projection.JacksonItemCodec;
import io.varve.projection.ViewHandler;
import io.varve.projection.javadsl.DynamoDBProjection;
import io.varve.projection.javadsl.ViewReader;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.projection.ProjectionId;
import org.apache.pekko.projection.javadsl.ExactlyOnceProjection;
import org.apache.pekko.projection.javadsl.SourceProvider;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** What the guide shows of views. */
final class ViewSnippets {
    private ViewSnippets() {}

    record CartView(Map<String, Integer> items, int orders) {}

    static final class CartFold extends ViewHandler<CartView, Event> {
        @Override
        public CartView emptyState() {
            return new CartView(Map.of(), 0);
        }

        @Override
        public CartView apply(CartView cart, EventEnvelope<Event> envelope) {
            Map<String, Integer> items = new TreeMap<>(cart.items());
            if (envelope.getEvent() instanceof Event.ItemAdded added) {
                items.merge(added.item(), added.quantity(), Integer::sum);
            } else if (envelope.getEvent() instanceof Event.ItemRemoved removed) {
                items.merge(removed.item(), -removed.quantity(), Integer::sum);
            } else {
                return new CartView(Map.of(), cart.orders() + 1);
            }
            return new CartView(items, cart.orders());
        }
    }

    static ExactlyOnceProjection<Offset, EventEnvelope<Event>> cartViews(
            ActorSystem<?> system, SourceProvider<Offset, EventEnvelope<Event>> carts, String table) {
        return DynamoDBProjection.view(
                ProjectionId.of("cart-views", "0-1023"),
                Optional.empty(),
                carts,
                ItemTable.byPersistenceId(table, "cart"),
                JacksonItemCodec.of(CartView.class),
                CartFold::new,
                system);
    }

    static CompletionStage<Optional<CartView>> readOwnWrite(
            ActorSystem<?> system, String table, String persistenceId, long sequenceNumber) {
        ViewReader<CartView> reader = ViewReader.create(
                "cart-views",
                Optional.empty(),
                ItemTable.byPersistenceId(table, "cart"),
                JacksonItemCodec.of(CartView.class),
                system);
        return reader.get(persistenceId, sequenceNumber, Duration.ofSeconds(2));
    }

    static ExactlyOnceProjection<Offset, EventEnvelope<Event>> cartCounts(
            ActorSystem<?> system, SourceProvider<Offset, EventEnvelope<Event>> carts, String table) {
        return DynamoDBProjection.exactlyOnceItem(
                ProjectionId.of("cart-counts", "0-1023"),
                Optional.empty(),
                carts,
                ItemTable.byPersistenceId(table, "cart"),
                () -> DynamoDBItemHandler.fromFunction(envelope -> ItemChange.update()
                        .add("#events :one")
                        .name("#events", "events")
                        .value(":one", AttributeValue.fromN("1"))),
                system);
    }
}
