package io.varve.example.shoppingcart.projection;

import io.varve.example.shoppingcart.Cart;
import io.varve.example.shoppingcart.Event;
import io.varve.example.shoppingcart.ShoppingCart;
import io.varve.projection.ItemCodec;
import io.varve.projection.ItemTable;
import io.varve.projection.JacksonItemCodec;
import io.varve.projection.ViewHandler;
import io.varve.projection.javadsl.ViewReader;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.persistence.typed.PersistenceId;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** A view of each cart: an item with what is in it, which can be read without waking the cart. */
public final class CartViews {
    private static final String KEY = "cart";
    private static final ItemCodec<Cart> CODEC = JacksonItemCodec.of(Cart.class);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final ItemTable table;
    private final DynamoDbAsyncClient client;
    private final ViewReader<Cart> reader;

    /** The views in the table that the configuration names. */
    public CartViews(ActorSystem<?> system, DynamoDbAsyncClient client) {
        this.table =
                ItemTable.byPersistenceId(system.settings().config().getString("shopping-cart.cart-views-table"), KEY);
        this.client = client;
        this.reader = ViewReader.create(Projections.CART_VIEWS, Optional.empty(), table, CODEC, system);
    }

    /** The cart after each of its events. */
    static final class Fold extends ViewHandler<Cart, Event> {
        @Override
        public Cart emptyState() {
            return Cart.EMPTY;
        }

        @Override
        public Cart apply(Cart cart, EventEnvelope<Event> envelope) {
            return cart.after(envelope.getEvent());
        }
    }

    ItemTable table() {
        return table;
    }

    ItemCodec<Cart> codec() {
        return CODEC;
    }

    /** Creates the table unless it is there; completes when it can be used. */
    public CompletionStage<Done> create() {
        return ReadModelTables.create(client, table.name(), KEY);
    }

    /** The view of a cart that reflects at least so many of its events; none if there is no such cart. */
    public CompletionStage<Optional<Cart>> get(String id, long events) {
        String persistenceId = PersistenceId.of(ShoppingCart.TYPE.name(), id).id();
        return events == 0 ? reader.get(persistenceId) : reader.get(persistenceId, events, PATIENCE);
    }
}
