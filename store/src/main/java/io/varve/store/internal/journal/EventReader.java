package io.varve.store.internal.journal;

import io.varve.store.internal.async.Remembered;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.EventId;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.layout.JournalMeta;
import io.varve.store.internal.replay.EventCursor;
import io.varve.store.internal.replay.EventLookup;
import io.varve.store.internal.replay.Replayer;
import io.varve.store.internal.replay.TailReader;
import io.varve.store.internal.table.JournalMetaLoader;
import io.varve.store.internal.table.JournalTable;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The events of one journal-name for who only reads: what a read journal calls. All reads are consistent, and nothing in the table
 * is ever changed; permission to read is enough.
 */
public final class EventReader {
    private final Gateway gateway;
    private final String tableName;
    private final EventItems items;
    private final JournalMetaLoader loader;
    private final Remembered<Optional<JournalMeta>> meta;
    private final TailReader tailReader;
    private final Replayer replayer;
    private final EventLookup lookup;

    /** A reader on a table; the clock tells which events have expired. */
    public EventReader(Gateway gateway, EventStoreSettings settings, InstantSource clock) {
        JournalKeys keys = new JournalKeys(settings.journalName());
        this.gateway = gateway;
        this.tableName = settings.table();
        this.items = new EventItems(keys, OptionalInt.empty());
        this.loader =
                new JournalMetaLoader(gateway, tableName, keys, settings.sequenceShards(), settings.indexShards());
        this.meta = new Remembered<>(loader::find, Optional::isPresent);
        this.tailReader = new TailReader(settings.highDistrust(), clock);
        this.replayer = new Replayer(settings.replayParallelism(), clock);
        this.lookup = new EventLookup(clock);
    }

    /** Completes when the table has been found to agree with the configuration, or to be new. */
    public CompletionStage<Void> ready() {
        return meta.get().thenApply(found -> null);
    }

    /** The highest sequence number as a recovery finds it, 0 for an unknown entity; an unfinished atomic write does not count. */
    public CompletionStage<Long> lastSequenceNumber(String persistenceId) {
        Budget budget = gateway.budget();
        return table().thenCompose(table -> tailReader.last(table, persistenceId, budget));
    }

    /** The complete events of an entity between two numbers, both inclusive, in order, as they are pulled. */
    public EventCursor events(String persistenceId, long from, long to) {
        return replayer.cursor(this::table, tailReader, persistenceId, from, to, gateway::budget);
    }

    /** An event; absent if its atomic write is not complete, or if it has expired. */
    public CompletionStage<Optional<Event>> event(String persistenceId, long sequenceNumber) {
        Budget budget = gateway.budget();
        return table().thenCompose(table -> lookup.event(table, new EventId(persistenceId, sequenceNumber), budget));
    }

    /** Whether the atomic write that an event belongs to is stored whole; a beginning that was deleted is not missed. */
    public CompletionStage<Boolean> isComplete(Event event) {
        Budget budget = gateway.budget();
        return table().thenCompose(table -> lookup.isComplete(table, event, budget));
    }

    /** Those of the events that are stored, in the order of the ids, whether or not their atomic writes are complete. */
    public CompletionStage<List<Event>> events(Collection<EventId> ids) {
        Budget budget = gateway.budget();
        return ids.isEmpty()
                ? CompletableFuture.completedFuture(List.of())
                : table().thenCompose(table -> lookup.events(table, ids, budget));
    }

    /**
     * The complete events of an entity before a number and after a timestamp, in order. It is read downwards, to the first event
     * that is not after the timestamp or to a group without events.
     */
    public CompletionStage<List<Event>> before(String persistenceId, long sequenceNumber, long afterTimestamp) {
        Budget budget = gateway.budget();
        return table().thenCompose(table ->
                lookup.before(table, new EventId(persistenceId, sequenceNumber), afterTimestamp, budget));
    }

    private CompletionStage<JournalTable> table() {
        return meta.get()
                .thenApply(found -> new JournalTable(
                        gateway,
                        tableName,
                        items,
                        found.orElseGet(loader::assumed).sequenceShards()));
    }
}
