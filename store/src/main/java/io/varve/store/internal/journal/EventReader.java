package io.varve.store.internal.journal;

import io.varve.store.internal.async.Remembered;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.EventId;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.replay.EventCursor;
import io.varve.store.internal.replay.EventLookup;
import io.varve.store.internal.replay.Replayer;
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
    private final Remembered<Opened> journal;

    /** A journal opened; until it has begun, with as many shards as it can have, and only for this once. */
    private record Opened(JournalReads reads, boolean begun) {}

    /** A reader on a table; the clock tells which events have expired. */
    public EventReader(Gateway gateway, EventStoreSettings settings, InstantSource clock) {
        JournalKeys keys = new JournalKeys(settings.journalName());
        EventItems items = new EventItems(keys, OptionalInt.empty());
        JournalMetaLoader loader = new JournalMetaLoader(
                gateway, settings.table(), keys, settings.sequenceShards(), settings.indexShards());
        this.gateway = gateway;
        this.journal = new Remembered<>(
                () -> loader.find().thenApply(found -> {
                    int shards = found.orElseGet(loader::assumed).sequenceShards();
                    JournalTable table = new JournalTable(gateway, settings.table(), items, shards);
                    return new Opened(JournalReads.of(table, settings, clock), found.isPresent());
                }),
                Opened::begun);
    }

    /** Completes when the table has been found to agree with the configuration, or to be new. */
    public CompletionStage<Void> ready() {
        return journal.get().thenApply(opened -> null);
    }

    /** The highest sequence number as a recovery finds it, 0 for an unknown entity; an unfinished atomic write does not count. */
    public CompletionStage<Long> lastSequenceNumber(String persistenceId) {
        Budget budget = gateway.budget();
        return reads().thenCompose(reads -> reads.tail().last(persistenceId, budget));
    }

    /** The complete events of an entity between two numbers, both inclusive, in order, as they are pulled. */
    public EventCursor events(String persistenceId, long from, long to) {
        return new EventCursor(
                new Replayer.Range(persistenceId, Math.max(1, from), to, Long.MAX_VALUE),
                () -> reads().thenApply(JournalReads::replayer),
                gateway::budget);
    }

    /** Whether the first event of an entity is replayed: it was neither deleted, as far as the marks say, nor rejected. */
    public CompletionStage<Boolean> holdsFirst(String persistenceId) {
        return events(persistenceId, 1, 1).next().thenApply(Optional::isPresent);
    }

    /** An event; absent if its atomic write is not complete, or if it has expired. */
    public CompletionStage<Optional<Event>> event(String persistenceId, long sequenceNumber) {
        Budget budget = gateway.budget();
        return lookup().thenCompose(lookup -> lookup.event(new EventId(persistenceId, sequenceNumber), budget));
    }

    /** Whether the atomic write that an event belongs to is stored whole; a beginning that was deleted is not missed. */
    public CompletionStage<Boolean> isComplete(Event event) {
        Budget budget = gateway.budget();
        return lookup().thenCompose(lookup -> lookup.isComplete(event, budget));
    }

    /** Those of the events that are stored, in the order of the ids, whether or not their atomic writes are complete. */
    public CompletionStage<List<Event>> events(Collection<EventId> ids) {
        Budget budget = gateway.budget();
        return ids.isEmpty()
                ? CompletableFuture.completedFuture(List.of())
                : lookup().thenCompose(lookup -> lookup.events(ids, budget));
    }

    /**
     * The complete events of an entity before a number and after a timestamp, in order. It is read downwards, to the first event
     * that is not after the timestamp or to a group without events.
     */
    public CompletionStage<List<Event>> before(String persistenceId, long sequenceNumber, long afterTimestamp) {
        Budget budget = gateway.budget();
        return lookup().thenCompose(
                        lookup -> lookup.before(new EventId(persistenceId, sequenceNumber), afterTimestamp, budget));
    }

    private CompletionStage<EventLookup> lookup() {
        return reads().thenApply(JournalReads::lookup);
    }

    private CompletionStage<JournalReads> reads() {
        return journal.get().thenApply(Opened::reads);
    }
}
