package io.varve.store.replay;

import io.varve.store.client.Budget;
import io.varve.store.layout.Event;
import io.varve.store.layout.Head;
import io.varve.store.layout.JournalKeys;
import io.varve.store.table.JournalTable;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Finds the highest sequence number of an entity.
 *
 * <p>The high mark is a hint: tables of the predecessors lack marks, and a group may have lost its events again. So the search
 * starts at the highest group that hint or marks name, goes down to the first one that has events, and up again as long as a
 * group's last place is taken.
 */
public final class TailReader {
    private final boolean highDistrust;
    private final InstantSource clock;

    /** A reader; with {@code highDistrust} it looks one group further also after one whose last place is free. */
    public TailReader(boolean highDistrust, InstantSource clock) {
        this.highDistrust = highDistrust;
        this.clock = clock;
    }

    /**
     * The tail of an entity, given a number that it is not below.
     *
     * <p>Removes an unfinished atomic write at the tail. Who must change nothing asks {@link #look} or {@link #last}.
     *
     * @param prefetch how many groups to fetch at once for the replay that follows, the hint's first; 0 if none follows
     */
    public CompletionStage<Tail> read(
            JournalTable table, String persistenceId, long hint, int prefetch, Budget budget) {
        Search search = new Search(table, persistenceId, hint, prefetch, budget);
        return search.runFromHint().thenCompose(last -> {
            Optional<Event> unfinished = last.filter(UnfinishedBatch::isPartOf);
            return unfinished.isPresent()
                    ? UnfinishedBatch.remove(table, unfinished.get(), budget)
                            .thenCompose(gone -> read(table, persistenceId, hint, prefetch, budget))
                    : CompletableFuture.completedFuture(search.tail(last));
        });
    }

    /**
     * The tail for a reader that wants the events from a number on, and changes nothing. Its head is 0 if there are none, and
     * lies before an unfinished atomic write.
     *
     * @param prefetch how many groups to fetch at once, at least 1
     */
    public CompletionStage<Tail> look(
            JournalTable table, String persistenceId, long from, int prefetch, Budget budget) {
        Search search = new Search(table, persistenceId, from, prefetch, budget);
        return search.run().thenApply(search::tail);
    }

    /** The highest sequence number as {@link #read} finds it, without a change of the table. */
    public CompletionStage<Long> last(JournalTable table, String persistenceId, Budget budget) {
        Search search = new Search(table, persistenceId, 0, 0, budget);
        return search.run()
                .thenCompose(search::lastFinished)
                .thenApply(last -> search.tail(last).head().sequenceNumber());
    }

    private static long lastThatCounts(Event last) {
        return UnfinishedBatch.isPartOf(last) ? last.batchStart() - 1 : last.sequenceNumber();
    }

    private final class Search {
        private final Groups groups;
        private final long hint;
        private final long hintGroup;
        private final int prefetch;
        private final Budget budget;
        private final CompletionStage<Groups.Page> hintPage;
        private final CompletionStage<Marks> marksRead;
        private final Map<Long, CompletionStage<Groups.Page>> pages = new HashMap<>();
        private Marks marks = new Marks(0, 0, 0, 0);

        Search(JournalTable table, String persistenceId, long hint, int prefetch, Budget budget) {
            table.keys().check(persistenceId);
            this.groups = new Groups(table, persistenceId);
            this.hint = hint;
            this.hintGroup = JournalKeys.group(hint);
            this.prefetch = prefetch;
            this.budget = budget;
            this.hintPage = prefetch > 0
                    ? groups.page(hintGroup, JournalKeys.number(hint), budget)
                    : groups.last(hintGroup, budget).thenApply(last -> Groups.Page.of(hintGroup, last));
            this.marksRead = Marks.read(table, persistenceId, budget);
            if (prefetch > 0) {
                pages.put(hintGroup, hintPage);
            }
        }

        /** The last event, also if the hint is the number of one that was rejected. */
        CompletionStage<Optional<Event>> runFromHint() {
            return run().thenCompose(last ->
                    last.isPresent() ? CompletableFuture.completedFuture(last) : searchBelowHint(hintGroup));
        }

        CompletionStage<Optional<Event>> run() {
            return marksRead.thenCompose(found -> {
                marks = found;
                long target =
                        Math.max(hintGroup, Math.max(JournalKeys.group(found.high()), JournalKeys.group(found.low())));
                for (long group = hintGroup + 1; group <= target && group < hintGroup + prefetch; group++) {
                    long first = Math.max(JournalKeys.groupStart(group), found.low());
                    if (JournalKeys.group(first) == group) {
                        pages.put(group, groups.page(group, JournalKeys.number(first), budget));
                    }
                }
                return searchDown(target);
            });
        }

        private CompletionStage<Optional<Event>> searchDown(long group) {
            return last(group).thenCompose(found -> {
                if (found.isEmpty() && group > Math.max(hintGroup, JournalKeys.group(marks.low()))) {
                    return searchDown(group - 1);
                }
                return searchUp(group, found);
            });
        }

        private CompletionStage<Optional<Event>> searchUp(long group, Optional<Event> best) {
            boolean full =
                    best.isPresent() && JournalKeys.number(best.get().sequenceNumber()) == JournalKeys.GROUP_SIZE - 1;
            if (!full && !highDistrust) {
                return CompletableFuture.completedFuture(best);
            }
            return groups.last(group + 1, budget)
                    .thenCompose(next ->
                            next.isPresent() ? searchUp(group + 1, next) : CompletableFuture.completedFuture(best));
        }

        /** Nothing where the hint says, nor after it: the event there was rejected, and the last one stands before it. */
        private CompletionStage<Optional<Event>> searchBelowHint(long group) {
            if (hint < Math.max(1, marks.low())) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            return groups.last(group, budget)
                    .thenCompose(found -> found.isPresent() || group <= JournalKeys.group(marks.low())
                            ? CompletableFuture.completedFuture(found)
                            : searchBelowHint(group - 1));
        }

        private CompletionStage<Optional<Event>> last(long group) {
            return group == hintGroup
                    ? hintPage.thenCompose(page -> page.next().isEmpty()
                            ? CompletableFuture.completedFuture(page.last())
                            : groups.last(group, budget))
                    : groups.last(group, budget);
        }

        /** The event itself, or, if it is part of an unfinished atomic write, the last one before that. */
        CompletionStage<Optional<Event>> lastFinished(Optional<Event> last) {
            return last.filter(UnfinishedBatch::isPartOf).isPresent()
                    ? lastUpTo(last.get().batchStart() - 1).thenCompose(this::lastFinished)
                    : CompletableFuture.completedFuture(last);
        }

        private CompletionStage<Optional<Event>> lastUpTo(long number) {
            if (number < Math.max(1, marks.low())) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            long group = JournalKeys.group(number);
            return groups.last(group, JournalKeys.number(number), budget)
                    .thenCompose(found -> found.isPresent()
                            ? CompletableFuture.completedFuture(found)
                            : lastUpTo(JournalKeys.groupStart(group) - 1));
        }

        Tail tail(Optional<Event> last) {
            long lastStored = last.map(TailReader::lastThatCounts).orElse(0L);
            long timestamp =
                    Math.max(marks.timestamp(), last.map(Event::timestamp).orElse(0L));
            Head head = new Head(Math.max(lastStored, marks.low() - 1), timestamp);
            return new Tail(head, marks.low(), pages, hint, clock.instant());
        }
    }
}
