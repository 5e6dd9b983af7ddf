package io.varve.store.internal.append;

import io.varve.store.WriterConflictException;
import io.varve.store.internal.client.WriteResult;
import io.varve.store.internal.layout.Attributes;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.Item;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Tells whether the events in the way of a write are this very write, come back through a retry, or another writer's. */
final class EventsInTheWay {
    private EventsInTheWay() {}

    /**
     * Fails if any of them is another writer's.
     *
     * @param ours the events of the request, in its order; after them it may have checked that a chain was not given up
     */
    static void check(String table, List<EventItem> ours, WriteResult written) {
        if (!(written instanceof WriteResult.ConditionFailed failed)) {
            return;
        }
        for (int i = 0; i < ours.size(); i++) {
            Map<String, AttributeValue> existing = failed.existing().get(i);
            if (existing == null || !ours.get(i).isSameAs(existing)) {
                throw conflict(table, ours, failed);
            }
        }
    }

    private static WriterConflictException conflict(
            String table, List<EventItem> ours, WriteResult.ConditionFailed failed) {
        Map.Entry<Integer, Map<String, AttributeValue>> inTheWay = failed.existing().entrySet().stream()
                .min(Map.Entry.comparingByKey())
                .orElseThrow();
        boolean givenUp = inTheWay.getKey() >= ours.size(); // the check of a chain's first event
        Event event = ours.get(givenUp ? 0 : inTheWay.getKey()).event();
        Item theirs = new Item(table, inTheWay.getValue());
        return givenUp
                ? WriterConflictException.givenUp(event.persistenceId(), event.batchStart(), event.writer())
                : WriterConflictException.taken(
                        event.persistenceId(),
                        event.sequenceNumber(),
                        event.writer(),
                        theirs.has(Attributes.WRITER)
                                ? theirs.shown(Attributes.WRITER)
                                : "one whose item holds no name");
    }
}
