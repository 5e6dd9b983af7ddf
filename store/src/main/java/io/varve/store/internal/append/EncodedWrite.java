package io.varve.store.internal.append;

import io.varve.store.internal.append.AppendRequest.NewEvent;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.table.JournalTable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An atomic write as it is to be stored.
 *
 * @param free the numbers before it that are taken along
 */
record EncodedWrite(AppendRequest write, FreeNumbers free, List<EventItem> events) {

    /** Encodes the events; their timestamps follow each other and what is before them. */
    static EncodedWrite of(JournalTable table, AppendRequest write, FreeNumbers free, Instant now) {
        int size = write.events().size();
        long timestamp = Math.max(Microseconds.of(now), free.filled().timestamp() + 1);
        List<EventItem> events = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            NewEvent event = write.events().get(i);
            events.add(EventItem.of(
                    table,
                    new Event(
                            write.persistenceId(),
                            event.sequenceNumber(),
                            event.payload(),
                            event.writer(),
                            event.manifest(),
                            event.metadata(),
                            event.tags(),
                            timestamp + i,
                            size == 1 ? Optional.empty() : Optional.of(new Event.Batch(i, size - 1, Optional.empty())),
                            Optional.empty(),
                            false)));
        }
        return new EncodedWrite(write, free, events);
    }

    /** The same for a chain of transactions with this id. */
    EncodedWrite inChain(String id) {
        return new EncodedWrite(
                write, free, events.stream().map(event -> event.inChain(id)).toList());
    }

    /** What comes of it if nothing is in its way. */
    AppendResult result(int maxItemSize) {
        List<Event> stored = new ArrayList<>(events.size());
        for (EventItem event : events) {
            if (event.size() > maxItemSize) {
                return new AppendResult.Rejected(event.tooLarge(maxItemSize));
            }
            stored.add(event.event());
        }
        return new AppendResult.Stored(stored);
    }
}
