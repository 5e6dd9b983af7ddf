package io.varve.store.internal.replay;

import io.varve.store.internal.client.Budget;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.JournalKeys;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Finds the last event that counts, given an unfinished chain at the tail: that before the chain. But if the chain was given up,
 * its first number may be another writer's by now; and a predecessor may have put its events anywhere.
 */
final class BeforeChain {
    private final Groups groups;
    private final long lowest;
    private final Budget budget;

    /** In the groups of an entity that are not deleted. */
    BeforeChain(Groups groups, Marks marks, Budget budget) {
        this.groups = groups;
        this.lowest = JournalKeys.group(marks.low());
        this.budget = budget;
    }

    CompletionStage<Optional<Event>> last(UnfinishedChain chain) {
        return lastUpTo(chain.first()).thenCompose(before -> {
            if (before.filter(chain::has).isPresent()) {
                return lastUpTo(chain.first() - 1);
            }
            return LastEvent.in(
                            JournalKeys.group(chain.last()),
                            JournalKeys.group(chain.first() + 1),
                            group -> groups.lastExcept(group, chain.id(), budget))
                    .thenApply(among -> among.filter(event -> event.sequenceNumber() > chain.first())
                            .or(() -> before));
        });
    }

    private CompletionStage<Optional<Event>> lastUpTo(long number) {
        long group = JournalKeys.group(number);
        return number < 1 || group < lowest
                ? CompletableFuture.completedFuture(Optional.empty())
                : groups.last(group, JournalKeys.number(number), budget)
                        .thenCompose(found -> found.isPresent()
                                ? CompletableFuture.completedFuture(found)
                                : LastEvent.in(group - 1, lowest, below -> groups.last(below, budget)));
    }
}
