package io.varve.store.append;

import io.varve.store.layout.Attributes;
import io.varve.store.layout.Event;
import io.varve.store.layout.ItemSize;
import io.varve.store.table.JournalTable;
import java.util.Map;
import java.util.Objects;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** An event that is about to be stored, with its item and the item's size. */
record EventItem(Event event, Map<String, AttributeValue> item, int size) {

    static EventItem of(JournalTable table, Event event) {
        Map<String, AttributeValue> item = table.items().encode(event);
        return new EventItem(event, item, ItemSize.of(item));
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
}
