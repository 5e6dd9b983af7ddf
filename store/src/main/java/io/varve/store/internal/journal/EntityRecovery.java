package io.varve.store.internal.journal;

import io.varve.store.internal.client.Budget;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.replay.RecoveryStart;
import io.varve.store.internal.replay.Replayer;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Recovers an entity: finds its highest number, and replays what was read on the way to it. */
final class EntityRecovery {
    private final JournalReads reads;
    private final EntityMemory entities;
    private final ChainRemovals chains;
    private final UnderWay appends;
    private final InstantSource clock;

    EntityRecovery(
            JournalReads reads, EntityMemory entities, ChainRemovals chains, UnderWay appends, InstantSource clock) {
        this.reads = reads;
        this.entities = entities;
        this.chains = chains;
        this.appends = appends;
        this.clock = clock;
    }

    /** The highest sequence number ever stored, given one that it is not below. */
    CompletionStage<Long> highest(String persistenceId, long hint, Budget budget) {
        long begun = entities.now();
        return start(persistenceId, Math.max(0, hint), budget).thenApply(start -> {
            entities.keep(persistenceId, start);
            reads.table().gateway().checkClock(persistenceId, start.head().time(), clock.instant());
            // A snapshot can have the number of an event that was rejected: it is given to nobody else.
            return Math.max(
                    hint, entities.recovered(persistenceId, start.head(), begun).sequenceNumber());
        });
    }

    /** Replays events; those that were read for the highest number are not read again. */
    CompletionStage<Void> replay(
            Replayer.Range range, Function<List<Event>, ? extends CompletionStage<?>> receiver, Budget budget) {
        Optional<RecoveryStart> kept = entities.takeTail(range.persistenceId())
                .filter(start -> start.head().sequenceNumber() >= range.to());
        CompletionStage<RecoveryStart> start = kept.isPresent()
                ? CompletableFuture.completedFuture(kept.get())
                : start(range.persistenceId(), Math.max(0, range.from() - 1), budget);
        return start.thenCompose(read -> reads.replayer().replay(range, read, receiver, budget));
    }

    /** Where to recover to; what stands on the numbers after it is removed meanwhile, and however long that takes. */
    private CompletionStage<RecoveryStart> start(String persistenceId, long hint, Budget budget) {
        return reads.tail()
                .read(persistenceId, hint, reads.replayer().parallelism(), () -> appends.ended(persistenceId), budget)
                .thenApply(start -> {
                    chains.begin(persistenceId, start.leftovers(), budget.renewed());
                    return start;
                });
    }
}
