package io.varve.store.internal.append;

import io.varve.store.EventRejectedException;
import io.varve.store.internal.layout.Attributes;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.ItemSize;
import io.varve.store.internal.table.JournalTable;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** An event that is about to be stored, with its item and the item's size. */
record EventItem(Event event, Map<String, AttributeValue> item, int size) {

    static EventItem of(JournalTable table, Event event) {
        Map<String, AttributeValue> item = table.items().encode(event);
        return new EventItem(event, item, ItemSize.of(item));
    }

    /** The same as part of a chain of transactions with this id. */
    EventItem inChain(String id) {
        Map<String, AttributeValue> batchId = Map.of(Attributes.BATCH, AttributeValue.fromS(id));
        Map<String, AttributeValue> named = new HashMap<>(item);
        named.putAll(batchId);
        return new EventItem(event.inChain(id), named, size + ItemSize.of(batchId));
    }

    long sequenceNumber() {
        return event.sequenceNumber();
    }

    /** The same writer, the same payload and the same timestamp: this very write, come back through a retry. */
    boolean isSameAs(Map<String, AttributeValue> existing) {
        return hasSame(Attributes.WRITER, existing)
                && hasSame(Attributes.TIMESTAMP, existing)
                && hasSame(Attributes.EVENT, existing);
    }

    private boolean hasSame(String attribute, Map<String, AttributeValue> existing) {
        return Objects.equals(item.get(attribute), existing.get(attribute));
    }

    EventRejectedException tooLarge(int limit) {
        return new EventRejectedException("Event " + sequenceNumber() + " of '" + event.persistenceId()
                + "' is too large: its item has " + size + " bytes ("
                + event.payload().bytes().asByteArrayUnsafe().length
                + " of them the serialized event), and the limit is " + limit
                + ". Store large data elsewhere and keep a reference in the event.");
    }
}
