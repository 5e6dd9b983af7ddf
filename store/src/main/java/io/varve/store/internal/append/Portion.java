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
 * <p>No key is in it twice, which DynamoDB would refuse: the numbers of the events rise, and the later mark of a shard replaces the
 * earlier.
 */
final class Portion {
    private static final int MAX_ACTIONS = 100;
    private static final int MAX_BYTES = 4_000_000;

    private final JournalTable table;
    private final int maxActions;
    private final int maxBytes;
    private final List<EventItem> events = new ArrayList<>();
    private Map<Long, Map<String, AttributeValue>> marksByShard = Map.of();
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
        return size() + more <= maxActions;
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
        Map<Long, Map<String, AttributeValue>> allMarks = marksByShard;
        long last = isEmpty() ? 0 : end.sequenceNumber();
        long group = end.assumed() ? 0 : JournalKeys.group(end.sequenceNumber());
        long allBytes = bytes;
        for (EventItem event : more) {
            if (event.sequenceNumber() <= last) {
                return false;
            }
            last = event.sequenceNumber();
            if (JournalKeys.group(last) > group) {
                group = JournalKeys.group(last);
                allMarks = withMark(allMarks, event.event().persistenceId(), group);
            }
            allBytes += event.size();
        }
        if (events.size() + more.size() + allMarks.size() > maxActions || allBytes > maxBytes) {
            return false;
        }
        events.addAll(more);
        EventItem newest = more.get(more.size() - 1);
        end = new LastWritten(newest.sequenceNumber(), newest.event().timestamp());
        marksByShard = allMarks;
        bytes = (int) allBytes;
        return true;
    }

    private Map<Long, Map<String, AttributeValue>> withMark(
            Map<Long, Map<String, AttributeValue>> marks, String persistenceId, long group) {
        Map<Long, Map<String, AttributeValue>> more = new LinkedHashMap<>(marks);
        more.put(table.markShard(JournalKeys.groupStart(group)), EventWrites.highMark(table, persistenceId, group));
        return more;
    }

    boolean isEmpty() {
        return events.isEmpty();
    }

    /** The entity's head when this is stored. */
    LastWritten end() {
        return end;
    }

    Collection<Map<String, AttributeValue>> marks() {
        return marksByShard.values();
    }

    /** How many items it stores. */
    int size() {
        return events.size() + marksByShard.size();
    }

    /** The request for a single event. */
    PutItemRequest put() {
        return EventWrites.putIfFree(table.name(), events.get(0).item());
    }

    List<WriteRequest> batchPuts() {
        return events.stream().map(event -> EventWrites.batchPut(event.item())).toList();
    }

    /** The events first, so that an index of an answer is the index of an event; then the marks. */
    List<TransactWriteItem> actions() {
        List<TransactWriteItem> actions = new ArrayList<>(size() + 1);
        events.forEach(event -> actions.add(EventWrites.transactPutIfFree(table.name(), event.item())));
        marks().forEach(mark -> actions.add(EventWrites.transactPut(table.name(), mark)));
        return actions;
    }

    /** Fails if the answer says that another writer's event is in the way, and not this very write. */
    void check(WriteResult written) {
        EventsInTheWay.check(table.name(), events, written);
    }
}
