package io.varve.store.internal.journal;

import io.varve.store.VarveException;
import io.varve.store.internal.append.AppendRequest;
import io.varve.store.internal.append.AppendResult;
import io.varve.store.internal.append.Appender;
import io.varve.store.internal.async.Remembered;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.client.Gateway;
import io.varve.store.internal.delete.EventDeleter;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.EventItems;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.layout.JournalMeta;
import io.varve.store.internal.layout.LastWritten;
import io.varve.store.internal.replay.ChainRemover;
import io.varve.store.internal.replay.Replayer;
import io.varve.store.internal.table.JournalMetaLoader;
import io.varve.store.internal.table.JournalTable;
import io.varve.store.internal.table.TaggedTypeRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * The events of one journal-name: append, find the highest number, replay, delete. What a journal plugin calls; who only reads
 * takes {@link EventReader}.
 *
 * <p>Gives each operation its time, and puts those of one entity in order.
 */
public final class EventStore {
    private final Gateway gateway;
    private final EventStoreSettings settings;
    private final InstantSource clock;
    private final JournalKeys keys;
    private final Remembered<OpenedJournal> journal;
    private final EntityMemory entities;
    private final UnderWay appends = new UnderWay();
    private final UnderWay deletes = new UnderWay();

    /** A store on a table; the clock gives the events their timestamps. */
    public EventStore(Gateway gateway, EventStoreSettings settings, InstantSource clock) {
        this.gateway = gateway;
        this.settings = settings;
        this.clock = clock;
        this.keys = new JournalKeys(settings.journalName());
        this.entities = new EntityMemory(clock, gateway.surroundings()::nanoTime);
        JournalMetaLoader meta = new JournalMetaLoader(
                gateway, settings.table(), keys, settings.sequenceShards(), settings.indexShards());
        this.journal = new Remembered<>(() -> meta.load().thenApply(this::open), opened -> true);
    }

    private OpenedJournal open(JournalMeta meta) {
        OptionalInt indexShards = settings.sliceIndex() ? OptionalInt.of(settings.indexShards()) : OptionalInt.empty();
        JournalTable table =
                new JournalTable(gateway, settings.table(), new EventItems(keys, indexShards), meta.sequenceShards());
        TaggedTypeRegistry taggedTypes = new TaggedTypeRegistry(gateway, settings.table(), keys);
        taggedTypes.known(meta.taggedTypes());
        JournalReads reads = JournalReads.of(table, settings, clock);
        ChainRemovals chains = new ChainRemovals(new ChainRemover(table));
        OwnHead heads = new OwnHead(reads, entities, chains, settings.checkWriterAfter());
        Appender appender =
                new Appender(table, settings.atomicWrites(), settings.joinWritesFrom(), settings.maxItemSize(), clock);
        return new OpenedJournal(
                reads,
                new EntityWriter(heads, appender, taggedTypes, entities),
                new EntityRecovery(reads, entities, chains, appends, clock),
                new EventDeleter(table, settings.deleteParallelism()));
    }

    /**
     * Stores atomic writes of one entity, one after another; if many wait, several in one transaction. A result for each; a
     * conflict with another writer, or anything that DynamoDB refuses, fails the stage and leaves the rest unwritten. The writes
     * may still be in the making; a recovery that is asked for from now on waits for them.
     *
     * @param within the time for all of them; each step has at most the configured operation time
     */
    public CompletionStage<List<AppendResult>> append(
            String persistenceId, CompletionStage<List<AppendRequest>> writes, Duration within) {
        Budget all = gateway.budget(within);
        Budget first = gateway.budget(all);
        CompletableFuture<List<AppendResult>> result = new CompletableFuture<>();
        CompletionStage<?> earlier = appends.begin(persistenceId, result);
        journal.get()
                .thenCombine(
                        inTime(persistenceId, writes, first),
                        (opened, requests) ->
                                opened.writer().append(requests, earlier, first, () -> gateway.budget(all)))
                .thenCompose(stage -> stage)
                .whenComplete((results, thrown) -> {
                    if (thrown == null) {
                        result.complete(results);
                    } else {
                        entities.doubt(persistenceId);
                        result.completeExceptionally(thrown);
                    }
                });
        return result;
    }

    private CompletionStage<List<AppendRequest>> inTime(
            String persistenceId, CompletionStage<List<AppendRequest>> writes, Budget budget) {
        CompletableFuture<List<AppendRequest>> made = writes.toCompletableFuture();
        if (made.isDone()) {
            return made;
        }
        return gateway.within(budget.left(), made.copy())
                .exceptionallyCompose(thrown -> CompletableFuture.failedFuture(
                        thrown instanceof TimeoutException
                                ? new VarveException("The events of '" + persistenceId
                                        + "' were not serialized within operation-timeout ("
                                        + budget.total().toMillis() + " ms); nothing of them was written.")
                                : thrown));
    }

    /**
     * The highest sequence number ever stored, given one that it is not below (0 if none is known). Waits for the entity's
     * appends under way in this store, and until its deletes under way are decided; its time begins after that.
     */
    public CompletionStage<Long> highestSequenceNumber(String persistenceId, long hint) {
        return appends.ended(persistenceId)
                .thenCombine(deletes.ended(persistenceId), (appended, decided) -> true)
                .thenCompose(settled -> journal.get())
                .thenCompose(opened -> opened.recovery().highest(persistenceId, hint, gateway.budget()));
    }

    /** Replays events in order; {@code receiver} is handed them page by page, the next one when it is done with the last. */
    public CompletionStage<Void> replay(
            Replayer.Range range, Function<List<Event>, ? extends CompletionStage<?>> receiver) {
        Budget budget = gateway.budget();
        return journal.get().thenCompose(opened -> opened.recovery().replay(range, receiver, budget));
    }

    /**
     * Deletes an entity's events up to a sequence number; the highest number survives. Once it is decided, within the time of an
     * operation, it takes as long as there are events.
     */
    public CompletionStage<Void> delete(String persistenceId, long to) {
        CompletableFuture<EventDeleter.Decided> decided = appends.ended(persistenceId)
                .thenCompose(settled -> journal.get())
                .thenCompose(opened -> decide(opened, persistenceId, to, gateway.budget()))
                .toCompletableFuture();
        deletes.begin(persistenceId, decided);
        return decided.thenCompose(EventDeleter.Decided::finish)
                .thenAccept(cleanTo -> entities.cleaned(persistenceId, cleanTo));
    }

    private CompletionStage<EventDeleter.Decided> decide(
            OpenedJournal opened, String persistenceId, long to, Budget budget) {
        return entities.head(persistenceId)
                .<CompletionStage<LastWritten>>map(CompletableFuture::completedFuture)
                .orElseGet(() -> opened.reads().tail().head(persistenceId, budget))
                .thenCompose(head ->
                        opened.deleter().decide(persistenceId, to, head, entities.cleanTo(persistenceId), budget));
    }
}
