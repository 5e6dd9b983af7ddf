package io.varve.store;

import io.varve.store.append.AppendRequest;
import io.varve.store.append.AppendResult;
import io.varve.store.append.Appender;
import io.varve.store.client.Budget;
import io.varve.store.client.Gateway;
import io.varve.store.delete.EventDeleter;
import io.varve.store.layout.Event;
import io.varve.store.layout.EventItems;
import io.varve.store.layout.Head;
import io.varve.store.layout.JournalKeys;
import io.varve.store.layout.Slices;
import io.varve.store.replay.Replayer;
import io.varve.store.replay.Tail;
import io.varve.store.replay.TailReader;
import io.varve.store.table.JournalMetaLoader;
import io.varve.store.table.JournalTable;
import io.varve.store.table.TaggedTypeRegistry;
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
    private final Gateway gateway;
    private final InstantSource clock;
    private final Appender appender;
    private final TailReader tailReader;
    private final Replayer replayer;
    private final EventDeleter deleter;
    private final TaggedTypeRegistry taggedTypes;
    private final Remembered<JournalTable> table;
    private final Entities entities;
    private final int prefetch;

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
        this.entities = new Entities(clock);
        this.prefetch = settings.replayParallelism();
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
        entities.writing(persistenceId, result);
        table.get()
                .thenCombine(
                        inTime(persistenceId, writes, first),
                        (ready, requests) -> requests.isEmpty()
                                ? CompletableFuture.completedFuture(List.<AppendResult>of())
                                : registerType(ready, persistenceId, requests, first)
                                        .thenCompose(known -> head(ready, persistenceId, requests.get(0), first))
                                        .thenCompose(head -> appender.append(
                                                ready,
                                                head,
                                                requests,
                                                () -> gateway.budget(all),
                                                end -> entities.stored(persistenceId, end))))
                .thenCompose(stage -> stage)
                .whenComplete((results, thrown) -> {
                    if (thrown == null) {
                        result.complete(results);
                    } else {
                        entities.forget(persistenceId); // what is stored is no longer certain
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

    /** What is known of the entity; it is looked up again if it has been forgotten. */
    private CompletionStage<Head> head(JournalTable ready, String persistenceId, AppendRequest write, Budget budget) {
        return knownHead(persistenceId)
                .orElseGet(() -> tailReader
                        .read(ready, persistenceId, write.events().get(0).sequenceNumber() - 1, 0, budget)
                        .thenApply(Tail::head));
    }

    private Optional<CompletionStage<Head>> knownHead(String persistenceId) {
        return entities.head(persistenceId).map(CompletableFuture::completedFuture);
    }

    /**
     * The highest sequence number ever stored, given one that it is not below (0 if none is known). Waits for the entity's
     * writes under way in this store.
     */
    public CompletionStage<Long> highestSequenceNumber(String persistenceId, long hint) {
        return entities.written(persistenceId)
                .thenCompose(settled -> table.get())
                .thenCompose(
                        ready -> tailReader.read(ready, persistenceId, Math.max(0, hint), prefetch, gateway.budget()))
                .thenApply(tail -> {
                    entities.recovering(persistenceId, tail);
                    gateway.checkClock(persistenceId, tail.head().time(), clock.instant());
                    return tail.head().sequenceNumber();
                });
    }

    /** Replays events in order; {@code receiver} is handed them page by page, the next one when it is done with the last. */
    public CompletionStage<Void> replay(
            Replayer.Range range, Function<List<Event>, ? extends CompletionStage<?>> receiver) {
        return table.get().thenCompose(ready -> {
            Optional<Tail> kept = entities.takeTail(range.persistenceId())
                    .filter(tail -> tail.head().sequenceNumber() >= range.to());
            CompletionStage<Tail> tail = kept.isPresent()
                    ? CompletableFuture.completedFuture(kept.get())
                    : tailReader.read(
                            ready, range.persistenceId(), Math.max(0, range.from() - 1), prefetch, gateway.budget());
            return tail.thenCompose(read -> replayer.replay(ready, range, read, receiver));
        });
    }

    /** Deletes an entity's events up to a sequence number; the highest number survives. */
    public CompletionStage<Void> delete(String persistenceId, long to) {
        return entities.written(persistenceId)
                .thenCompose(settled -> table.get())
                .thenCompose(ready -> knownHead(persistenceId)
                        .orElseGet(() -> tailReader
                                .read(ready, persistenceId, 0, 0, gateway.budget())
                                .thenApply(Tail::head))
                        .thenCompose(head ->
                                deleter.delete(ready, persistenceId, to, head, entities.cleanTo(persistenceId))))
                .thenAccept(cleanTo -> entities.cleaned(persistenceId, cleanTo));
    }
}
