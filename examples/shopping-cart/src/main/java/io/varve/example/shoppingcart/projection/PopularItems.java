package io.varve.example.shoppingcart.projection;

import io.varve.example.shoppingcart.Event;
import io.varve.projection.DynamoDBTransactHandler;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * Counts what is put into carts. Adding is not idempotent: it is right only because it is stored in one transaction with the
 * progress, so that each event counts exactly once.
 */
final class PopularItems extends DynamoDBTransactHandler<EventEnvelope<Event>> {
    /** What it cannot count, as a handler with a fault: to show what becomes of a cart that has it. */
    static final String POISON = "poison";

    private final PopularItemsTable table;

    PopularItems(PopularItemsTable table) {
        this.table = table;
    }

    @Override
    public CompletionStage<Collection<TransactWriteItem>> process(EventEnvelope<Event> envelope) {
        if (envelope.getEvent() instanceof Event.ItemAdded added && added.item().equals(POISON)) {
            throw new IllegalArgumentException("This handler cannot count " + POISON + ".");
        }
        return CompletableFuture.completedFuture(
                envelope.getEvent() instanceof Event.ItemAdded added
                        ? List.of(table.add(added.item(), added.quantity()))
                        : List.of());
    }
}
