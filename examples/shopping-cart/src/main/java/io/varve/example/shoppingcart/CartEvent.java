package io.varve.example.shoppingcart;

import java.time.Instant;
import org.apache.pekko.persistence.query.typed.EventEnvelope;
import org.apache.pekko.persistence.typed.PersistenceId;

/**
 * An event as it is shown.
 *
 * @param cart the cart's id
 * @param number the event's number among those of the cart
 * @param slice which of the 1024 slices the cart belongs to
 * @param text what happened, in words
 */
public record CartEvent(String cart, long number, int slice, Instant time, String text) {

    static CartEvent of(EventEnvelope<Event> envelope) {
        return new CartEvent(
                PersistenceId.extractEntityId(envelope.persistenceId()),
                envelope.sequenceNr(),
                envelope.slice(),
                EventFeed.timeOf(envelope),
                text(envelope.getEvent()));
    }

    private static String text(Event event) {
        if (event instanceof Event.ItemAdded added) {
            return "added " + added.quantity() + " " + added.item();
        } else if (event instanceof Event.ItemRemoved removed) {
            return "removed " + removed.quantity() + " " + removed.item();
        } else if (event instanceof Event.CheckedOut order) {
            return "checked out: order " + order.order();
        }
        throw new IllegalArgumentException("There are no words for " + event);
    }
}
