package io.varve.store.internal.journal;

import io.varve.store.WriterConflictException;
import io.varve.store.internal.append.AppendRequest;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.layout.LastWritten;
import io.varve.store.internal.layout.StandIn;
import io.varve.store.internal.table.JournalTable;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Finds the head that a writer appends to, and fails if another writer is known to have been there. */
final class OwnHead {
    /** Up to here all of an entity's groups are few enough to be looked at, and nothing has to be taken for granted. */
    private static final long FEW = 3 * JournalKeys.GROUP_SIZE;

    private final JournalReads reads;
    private final EntityMemory entities;
    private final ChainRemovals chains;
    private final Duration checkWriterAfter;

    /** With the pause after which a writer looks whether another one has been there. */
    OwnHead(JournalReads reads, EntityMemory entities, ChainRemovals chains, Duration checkWriterAfter) {
        this.reads = reads;
        this.entities = entities;
        this.chains = chains;
        this.checkWriterAfter = checkWriterAfter;
    }

    /**
     * The head for a write, when the numbers after it are free.
     *
     * @param earlierAppends completes when the appends before this one have ended
     */
    CompletionStage<LastWritten> before(AppendRequest write, CompletionStage<?> earlierAppends, Budget budget) {
        String persistenceId = write.persistenceId();
        long last = write.firstSequenceNumber() - 1;
        return entities.head(persistenceId)
                .map(head -> afterPause(persistenceId, head, last + 1, budget))
                .orElseGet(() -> stored(persistenceId, last, earlierAppends, budget))
                .thenCompose(head -> {
                    if (head.sequenceNumber() > last
                            || entities.isOfAnother(persistenceId, write.writer())
                            || entities.isOvertaken(persistenceId, write.writer(), head.sequenceNumber())) {
                        throw WriterConflictException.overtaken(persistenceId, last + 1, last, head.sequenceNumber());
                    }
                    entities.goesOn(persistenceId, write.writer(), head.sequenceNumber());
                    return chains.ended(persistenceId, budget)
                            .thenCompose(free -> listed(persistenceId, head, budget))
                            .thenApply(listed -> head);
                });
    }

    private CompletionStage<LastWritten> stored(
            String persistenceId, long last, CompletionStage<?> earlierAppends, Budget budget) {
        long begun = entities.now();
        return reads.tail()
                .read(persistenceId, last < FEW ? 0 : last, 0, () -> earlierAppends, budget)
                .thenApply(tail -> {
                    chains.begin(persistenceId, tail.leftovers(), budget);
                    return entities.read(persistenceId, tail.head(), begun);
                });
    }

    private CompletionStage<LastWritten> afterPause(String persistenceId, LastWritten head, long next, Budget budget) {
        return overtakenBy(persistenceId, head, () -> budget).thenApply(highest -> {
            if (highest.isPresent()) {
                throw WriterConflictException.overtaken(
                        persistenceId, next, head.sequenceNumber(), highest.getAsLong());
            }
            return head;
        });
    }

    /**
     * Something was stored after this head; fails if another writer was there before it, which a write that was sent again and again
     * cannot know.
     */
    CompletionStage<Void> checkAfter(String persistenceId, LastWritten head, Supplier<Budget> budget) {
        return overtakenBy(persistenceId, head, budget)
                .thenAccept(highest -> highest.ifPresent(number -> {
                    throw WriterConflictException.overtakenMeanwhile(persistenceId, head.sequenceNumber() + 1, number);
                }));
    }

    /**
     * Up to where another writer has come, as far as that can be without having been noticed. Events that it has stored are in the
     * way of this one's; but not if it has also deleted them. Then the low mark tells, which is read where there was time enough for
     * all that. Nobody else can have raised it above this head.
     */
    private CompletionStage<OptionalLong> overtakenBy(String persistenceId, LastWritten head, Supplier<Budget> budget) {
        if (!entities.isOlderThan(persistenceId, checkWriterAfter)) {
            return CompletableFuture.completedFuture(OptionalLong.empty());
        }
        long begun = entities.now();
        return reads.marks().readLow(persistenceId, budget.get()).thenApply(marks -> {
            if (marks.low() > head.sequenceNumber() + 1) {
                return OptionalLong.of(marks.low() - 1);
            }
            entities.checked(persistenceId, begun);
            return OptionalLong.empty();
        });
    }

    /** An entity of which only a snapshot is left is in no list of entities; its next event will not be number 1. */
    private CompletionStage<?> listed(String persistenceId, LastWritten head, Budget budget) {
        JournalTable table = reads.table();
        return head.assumed() && JournalKeys.canBeListed(persistenceId)
                ? table.gateway().putItem(StandIn.put(table.name(), table.keys(), persistenceId), budget)
                : CompletableFuture.completedFuture(null);
    }
}
