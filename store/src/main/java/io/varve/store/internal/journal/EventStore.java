package io.varve.store.internal.journal;

import io.varve.store.Slices;
import io.varve.store.VarveException;
import io.varve.store.WriterConflictException;
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
import io.varve.store.internal.layout.LastWritten;
import io.varve.store.internal.layout.StandIn;
import io.varve.store.internal.replay.Marks;
import io.varve.store.internal.replay.RecoveryStart;
import io.varve.store.internal.replay.Replayer;
import io.varve.store.internal.replay.TailReader;
import io.varve.store.internal.table.JournalMetaLoader;
import io.varve.store.internal.table.JournalTable;
import io.varve.store.internal.table.TaggedTypeRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** The events of one journal-name: append, find the highest number, replay, delete. What a journal plugin calls; who only reads takes {@link EventReader}. */
public final class EventStore {
    /** Up to here all of an entity's groups are few enough to be looked at, and nothing has to be taken for granted. */
    private static final long FEW = 3 * JournalKeys.GROUP_SIZE;

    private final Gateway gateway;
    private final InstantSource clock;
    private final Appender appender;
    private final TailReader tailReader;
    private final Replayer replayer;
    private final EventDeleter deleter;
    private final TaggedTypeRegistry taggedTypes;
    private final Remembered<JournalTable> table;
    private final EntityMemory entities;
    private final UnderWay appends = new UnderWay();
    private final UnderWay deletes = new UnderWay();
    private final ChainRemovals chains = new ChainRemovals();
    private final int prefetch;
    private final Duration checkWriterAfter;

    /** A store on a table; the clock gives the events their timestamps. */
    public EventStore(Gateway gateway, EventStoreSettings settings, InstantSource clock) {
        JournalKeys keys = new JournalKeys(settings.journalName());
        OptionalInt indexShards = settings.sliceIndex() ? OptionalInt.of(settings.indexShards()) : OptionalInt.empty();
        this.gateway = gateway;
        this.clock = clock;
        this.appender = new Appender(settings.atomicWrites(), settings.joinWritesFrom(), settings.maxItemSize(), clock);
        this.tailReader = new TailReader(settings.highDistrust(), clock);
        this.replayer = new Replayer(settings.replayParallelism(), clock);
        this.deleter = new EventDeleter(settings.deleteParallelism());
        JournalMetaLoader meta = new JournalMetaLoader(
                gateway, settings.table(), keys, settings.sequenceShards(), settings.indexShards());
        this.taggedTypes = new TaggedTypeRegistry(gateway, settings.table(), keys);
        EventItems items = new EventItems(keys, indexShards);
        this.table = new Remembered<>(
                () -> meta.load().thenApply(found -> {
                    taggedTypes.known(found.taggedTypes());
                    return new JournalTable(gateway, settings.table(), items, found.sequenceShards());
                }),
                ready -> true);
        this.entities = new EntityMemory(clock, gateway.surroundings()::nanoTime);
        this.prefetch = settings.replayParallelism();
        this.checkWriterAfter = settings.checkWriterAfter();
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
        table.get()
                .thenCombine(
                        inTime(persistenceId, writes, first),
                        (ready, requests) -> requests.isEmpty()
                                ? CompletableFuture.completedFuture(List.<AppendResult>of())
                                : registerType(ready, persistenceId, requests, first)
                                        .thenCompose(
                                                known -> ownHead(ready, persistenceId, requests.get(0), earlier, first))
                                        .thenCompose(head -> appender.append(
                                                ready,
                                                head,
                                                requests,
                                                () -> gateway.budget(all),
                                                entities.writing(
                                                        persistenceId,
                                                        requests.get(0).writer()))))
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
        return gateway.within(budget.left(), writes.toCompletableFuture().copy())
                .exceptionallyCompose(thrown -> CompletableFuture.failedFuture(
                        thrown instanceof TimeoutException
                                ? new VarveException("The events of '" + persistenceId
                                        + "' were not serialized within operation-timeout ("
                                        + budget.total().toMillis() + " ms); nothing of them was written.")
                                : thrown));
    }

    /** A query by tag finds the entity type before it can miss the event. */
    private CompletionStage<Void> registerType(
            JournalTable ready, String persistenceId, List<AppendRequest> writes, Budget budget) {
        boolean indexed = ready.items().indexShards().isPresent();
        return indexed && writes.stream().anyMatch(AppendRequest::hasTags)
                ? taggedTypes.register(Slices.entityType(persistenceId), budget)
                : CompletableFuture.completedFuture(null);
    }

    /** The head to append to, when the numbers after it are free; fails if another writer is known to have been there. */
    private CompletionStage<LastWritten> ownHead(
            JournalTable ready,
            String persistenceId,
            AppendRequest write,
            CompletionStage<?> earlierAppends,
            Budget budget) {
        long last = write.events().get(0).sequenceNumber() - 1;
        long begun = entities.now();
        return entities.head(persistenceId)
                .map(head -> afterPause(ready, persistenceId, head, budget))
                .orElseGet(() -> tailReader
                        .read(ready, persistenceId, last < FEW ? 0 : last, 0, () -> earlierAppends, budget)
                        .thenApply(tail -> {
                            chains.begin(persistenceId, tail.leftovers(), budget);
                            return entities.read(persistenceId, tail.head(), begun);
                        }))
                .thenCompose(head -> {
                    if (head.sequenceNumber() > last || entities.isOfAnother(persistenceId, write.writer())) {
                        throw WriterConflictException.overtaken(persistenceId, last, head.sequenceNumber());
                    }
                    return chains.ended(persistenceId, budget)
                            .thenCompose(free -> listed(ready, persistenceId, head, budget))
                            .thenApply(listed -> head);
                });
    }

    /** An entity of which only a snapshot is left is in no list of entities; its next event will not be number 1. */
    private static CompletionStage<?> listed(
            JournalTable ready, String persistenceId, LastWritten head, Budget budget) {
        return head.assumed() && JournalKeys.canBeListed(persistenceId)
                ? ready.gateway().putItem(StandIn.put(ready.name(), ready.keys(), persistenceId), budget)
                : CompletableFuture.completedFuture(null);
    }

    /**
     * Events that another writer has stored are in the way of this one's; but not if it has also deleted them. Then the low mark
     * tells, which is read where there was time enough for all that.
     */
    private CompletionStage<LastWritten> afterPause(
            JournalTable ready, String persistenceId, LastWritten head, Budget budget) {
        return entities.isOlderThan(persistenceId, checkWriterAfter)
                ? Marks.readLow(ready, persistenceId, budget)
                        .thenApply(marks -> marks.low() <= head.sequenceNumber() + 1
                                ? head
                                : new LastWritten(marks.low() - 1, Math.max(head.timestamp(), marks.timestamp())))
                : CompletableFuture.completedFuture(head);
    }

    /**
     * The highest sequence number ever stored, given one that it is not below (0 if none is known). Waits for the entity's
     * appends under way in this store, and until its deletes under way are decided; its time begins after that.
     */
    public CompletionStage<Long> highestSequenceNumber(String persistenceId, long hint) {
        return settled(persistenceId).thenCompose(settled -> table.get()).thenCompose(ready -> {
            long begun = entities.now();
            return recovering(ready, persistenceId, Math.max(0, hint), gateway.budget())
                    .thenApply(tail -> {
                        entities.keep(persistenceId, tail);
                        gateway.checkClock(persistenceId, tail.head().time(), clock.instant());
                        // A snapshot can have the number of an event that was rejected: it is given to nobody else.
                        return Math.max(
                                hint,
                                entities.recovered(persistenceId, tail.head(), begun)
                                        .sequenceNumber());
                    });
        });
    }

    /** The tail to recover to; what stands on the numbers after it is removed meanwhile, and however long that takes. */
    private CompletionStage<RecoveryStart> recovering(
            JournalTable ready, String persistenceId, long hint, Budget budget) {
        return tailReader
                .read(ready, persistenceId, hint, prefetch, () -> appends.ended(persistenceId), budget)
                .thenApply(tail -> {
                    chains.begin(persistenceId, tail.leftovers(), budget.renewed());
                    return tail;
                });
    }

    private CompletionStage<?> settled(String persistenceId) {
        return appends.ended(persistenceId).thenCombine(deletes.ended(persistenceId), (appended, decided) -> true);
    }

    /** Replays events in order; {@code receiver} is handed them page by page, the next one when it is done with the last. */
    public CompletionStage<Void> replay(
            Replayer.Range range, Function<List<Event>, ? extends CompletionStage<?>> receiver) {
        Budget budget = gateway.budget();
        return table.get().thenCompose(ready -> {
            Optional<RecoveryStart> kept = entities.takeTail(range.persistenceId())
                    .filter(tail -> tail.head().sequenceNumber() >= range.to());
            CompletionStage<RecoveryStart> tail = kept.isPresent()
                    ? CompletableFuture.completedFuture(kept.get())
                    : recovering(ready, range.persistenceId(), Math.max(0, range.from() - 1), budget);
            return tail.thenCompose(read -> replayer.replay(ready, range, read, receiver, budget));
        });
    }

    /**
     * Deletes an entity's events up to a sequence number; the highest number survives. Once it is decided, within the time of an
     * operation, it takes as long as there are events.
     */
    public CompletionStage<Void> delete(String persistenceId, long to) {
        CompletableFuture<EventDeleter.Decided> decided = appends.ended(persistenceId)
                .thenCompose(settled -> table.get())
                .thenCompose(ready -> decide(ready, persistenceId, to, gateway.budget()))
                .toCompletableFuture();
        deletes.begin(persistenceId, decided);
        return decided.thenCompose(EventDeleter.Decided::finish)
                .thenAccept(cleanTo -> entities.cleaned(persistenceId, cleanTo));
    }

    private CompletionStage<EventDeleter.Decided> decide(
            JournalTable ready, String persistenceId, long to, Budget budget) {
        return entities.head(persistenceId)
                .<CompletionStage<LastWritten>>map(CompletableFuture::completedFuture)
                .orElseGet(() -> tailReader.head(ready, persistenceId, budget))
                .thenCompose(head ->
                        deleter.decide(ready, persistenceId, to, head, entities.cleanTo(persistenceId), budget));
    }
}
