package io.varve.store.internal.slice;

import io.varve.store.internal.layout.Event;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a shard has delivered, as far as a pass may meet it again: the last event of each entity. Events of one entity are
 * delivered in order, so that the last one says it all.
 *
 * <p>What lies before the floor counts as delivered and is not remembered. The floor rises as the last pass goes on, and when
 * there are more entities than may be remembered.
 */
final class DeliveredEvents {
    private final int capacity;
    private final Map<String, Last> entities = new LinkedHashMap<>();
    private long floor;

    DeliveredEvents(int capacity, long floor) {
        this.capacity = capacity;
        this.floor = floor;
    }

    /**
     * The last event that was delivered of an entity.
     *
     * @param write the atomic write of several events that it belongs to, if that is known
     */
    record Last(long sequenceNumber, long timestamp, Optional<AtomicWrite> write) {}

    @Nullable
    Last last(String persistenceId) {
        return entities.get(persistenceId);
    }

    long floor() {
        return floor;
    }

    /** Whether one more entity can be remembered, if need be instead of one whose last event is not after {@code read}. */
    boolean hasRoom(long read) {
        return entities.size() < capacity || entities.values().stream().anyMatch(last -> last.timestamp() <= read);
    }

    /** Whether an event is remembered. A lower number with a later time is of another entity, which took over the name. */
    boolean remembers(Event event) {
        Last last = entities.get(event.persistenceId());
        return last != null && event.sequenceNumber() <= last.sequenceNumber() && event.timestamp() <= last.timestamp();
    }

    /** Whether an event that was passed already has been delivered, or counts as such. */
    boolean covers(Event event) {
        return entities.containsKey(event.persistenceId()) ? remembers(event) : event.timestamp() < floor;
    }

    void add(String persistenceId, long sequenceNumber, long timestamp) {
        add(persistenceId, new Last(sequenceNumber, timestamp, Optional.empty()));
    }

    void add(Event event) {
        add(event.persistenceId(), new Last(event.sequenceNumber(), event.timestamp(), AtomicWrite.of(event)));
    }

    private void add(String persistenceId, Last last) {
        entities.remove(persistenceId); // to become the youngest
        entities.put(persistenceId, last);
    }

    /**
     * Forgets what no pass will meet that is still to come, and what does not fit; nothing after {@code read}. Returns how many did
     * not fit.
     */
    int forget(long newFloor, long read) {
        floor = Math.max(floor, newFloor);
        int surplus = 0;
        Iterator<Last> oldest = entities.values().iterator();
        while (oldest.hasNext()) {
            long timestamp = oldest.next().timestamp();
            if (entities.size() > capacity && timestamp >= floor && timestamp <= read) {
                floor = timestamp + 1;
                surplus++;
            }
            if (timestamp < floor) {
                oldest.remove();
            } else if (entities.size() <= capacity) {
                break;
            }
        }
        return surplus;
    }
}
