package io.varve.store.internal.append;

import io.varve.store.internal.client.WriteResult;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.layout.LastWritten;
import io.varve.store.internal.table.JournalTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/**
 * What one request stores: events in the order of their numbers, and a high mark for each group that begins with one of them.
 *
 * <p>Both are kept by key, because a request that names a key twice is refused: the later mark of a shard replaces the earlier.
 */
final class Portion {
    private static final int MAX_ACTIONS = 100;
    private static final int MAX_BYTES = 4_000_000;

    private final JournalTable table;
    private final int maxActions;
    private final int maxBytes;
    private final Map<Map<String, AttributeValue>, EventItem> events = new LinkedHashMap<>();
    private Map<Map<String, AttributeValue>, Map<String, AttributeValue>> marks = Map.of();
    private LastWritten end;
    private int bytes;

    private Portion(JournalTable table, LastWritten head, int maxActions, int maxBytes) {
        this.table = table;
        this.end = head;
        this.maxActions = maxActions;
        this.maxBytes = maxBytes;
    }

    /** An empty one that follows the head and takes what fits into a transaction. */
    static Portion transaction(JournalTable table, LastWritten head) {
        return new Portion(table, head, MAX_ACTIONS, MAX_BYTES);
    }

    /** All the events of an atomic write that follows the head. */
    static Portion whole(JournalTable table, LastWritten head, List<EventItem> events) {
        Portion whole = new Portion(table, head, Integer.MAX_VALUE, Integer.MAX_VALUE);
        whole.add(events);
        return whole;
    }

    /** The events of an atomic write, cut into transactions that have room for one action more. */
    static List<Portion> chain(JournalTable table, LastWritten head, List<EventItem> events) {
        List<Portion> links = new ArrayList<>();
        Portion last = new Portion(table, head, MAX_ACTIONS - 1, MAX_BYTES);
        for (EventItem event : events) {
            if (!last.add(List.of(event))) {
                links.add(last);
                last = new Portion(table, last.end, MAX_ACTIONS - 1, MAX_BYTES);
                last.add(List.of(event));
            }
        }
        links.add(last);
        return links;
    }

    /** Whether so many events may fit. */
    boolean hasRoomFor(int more) {
        return events.size() + marks.size() + more <= maxActions;
    }

    /** Adds a write's events and the placeholders before them, all or none: false if there is no room. */
    boolean add(FreeNumbers free, List<EventItem> write) {
        if (free.count() == 0) {
            return add(write);
        }
        return free.count() < maxActions
                && add(Stream.concat(placeholders(free), write.stream()).toList());
    }

    /** Adds as many placeholders as there is room for. */
    void addSome(FreeNumbers free) {
        Iterator<EventItem> placeholders = placeholders(free).iterator();
        boolean room = true;
        while (room && placeholders.hasNext()) {
            room = add(List.of(placeholders.next()));
        }
    }

    private Stream<EventItem> placeholders(FreeNumbers free) {
        return free.placeholders().map(placeholder -> EventItem.of(table, placeholder));
    }

    /** Adds events, all or none: false if there is no room, or if they do not follow what is there. */
    boolean add(List<EventItem> more) {
        if (!isEmpty() && more.get(0).sequenceNumber() <= end.sequenceNumber()) {
            return false;
        }
        Map<Map<String, AttributeValue>, Map<String, AttributeValue>> allMarks = new LinkedHashMap<>(marks);
        long group = end.assumed() ? 0 : JournalKeys.group(end.sequenceNumber());
        long allBytes = bytes;
        for (EventItem event : more) {
            if (JournalKeys.group(event.sequenceNumber()) > group) {
                group = JournalKeys.group(event.sequenceNumber());
                mark(allMarks, event.event().persistenceId(), group);
            }
            allBytes += event.size();
        }
        if (events.size() + more.size() + allMarks.size() > maxActions || allBytes > maxBytes) {
            return false;
        }
        for (EventItem event : more) {
            events.put(table.keys().eventKey(event.event().persistenceId(), event.sequenceNumber()), event);
            end = new LastWritten(event.sequenceNumber(), event.event().timestamp());
        }
        marks = allMarks;
        bytes = (int) allBytes;
        return true;
    }

    private void mark(
            Map<Map<String, AttributeValue>, Map<String, AttributeValue>> into, String persistenceId, long group) {
        long start = JournalKeys.groupStart(group);
        into.put(
                table.keys().highKey(persistenceId, table.markShard(start)),
                EventWrites.highMark(table, persistenceId, group));
    }

    boolean isEmpty() {
        return events.isEmpty();
    }

    /** The entity's head when this is stored. */
    LastWritten end() {
        return end;
    }

    Collection<Map<String, AttributeValue>> marks() {
        return marks.values();
    }

    /** The request for a single event. */
    PutItemRequest put() {
        return EventWrites.putIfFree(
                table.name(), events.values().iterator().next().item());
    }

    List<WriteRequest> batchPuts() {
        return events.values().stream()
                .map(event -> EventWrites.batchPut(event.item()))
                .toList();
    }

    /** The events first, so that an index of an answer is the index of an event; then the marks. */
    List<TransactWriteItem> actions() {
        List<TransactWriteItem> actions = new ArrayList<>(MAX_ACTIONS);
        events.values().forEach(event -> actions.add(EventWrites.transactPutIfFree(table.name(), event.item())));
        marks.values().forEach(mark -> actions.add(EventWrites.transactPut(table.name(), mark)));
        return actions;
    }

    /** Fails if the answer says that another writer's event is in the way, and not this very write. */
    void check(WriteResult written) {
        EventsInTheWay.check(table.name(), List.copyOf(events.values()), written);
    }
}
