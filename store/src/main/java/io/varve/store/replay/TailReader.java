package io.varve.store.replay;

import io.varve.store.append.Head;
import io.varve.store.layout.Event;
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
    private final int prefetch;
    private final boolean highDistrust;
    private final InstantSource clock;

    /**
     * A reader that fetches up to {@code prefetch} groups ahead for the replay that follows; with {@code highDistrust} it looks
     * one group further also after one whose last place is free.
     */
    public TailReader(int prefetch, boolean highDistrust, InstantSource clock) {
        this.prefetch = prefetch;
        this.highDistrust = highDistrust;
        this.clock = clock;
    }

    /** The tail of an entity, whose events from the one after {@code hint} on will be wanted next. */
    public CompletionStage<Tail> read(JournalTable table, String persistenceId, long hint) {
        table.keys().check(persistenceId);
        Search search = new Search(table, persistenceId, hint);
        return search.run().thenCompose(last -> {
            Optional<Event> unfinished = last.filter(UnfinishedBatch::isPartOf);
            return unfinished.isPresent()
                    ? UnfinishedBatch.remove(table, unfinished.get())
                            .thenCompose(gone -> read(table, persistenceId, hint))
                    : CompletableFuture.completedFuture(search.tail(last));
        });
    }

    private final class Search {
        private final Groups groups;
        private final long hint;
        private final long hintGroup;
        private final CompletionStage<Groups.Page> hintPage;
        private final CompletionStage<Marks> marksRead;
        private final Map<Long, CompletionStage<Groups.Page>> pages = new HashMap<>();
        private Marks marks = new Marks(0, 0, 0, 0);

        Search(JournalTable table, String persistenceId, long hint) {
            this.groups = new Groups(table, persistenceId);
            this.hint = hint;
            this.hintGroup = JournalKeys.group(hint);
            this.hintPage = groups.page(hintGroup, JournalKeys.number(hint));
            this.marksRead = Marks.read(table, persistenceId);
            pages.put(hintGroup, hintPage);
        }

        CompletionStage<Optional<Event>> run() {
            return marksRead.thenCompose(found -> {
                marks = found;
                long target =
                        Math.max(hintGroup, Math.max(JournalKeys.group(found.high()), JournalKeys.group(found.low())));
                for (long group = hintGroup + 1; group <= target && group <= hintGroup + prefetch; group++) {
                    long first = Math.max(JournalKeys.groupStart(group), found.low());
                    if (JournalKeys.group(first) == group) {
                        pages.put(group, groups.page(group, JournalKeys.number(first)));
                    }
                }
                return searchDown(target);
            });
        }

        private CompletionStage<Optional<Event>> searchDown(long group) {
            return last(group).thenCompose(found -> {
                if (found.isPresent() || group <= Math.max(hintGroup, JournalKeys.group(marks.low()))) {
                    return searchUp(group, found);
                }
                return searchDown(group - 1);
            });
        }

        private CompletionStage<Optional<Event>> searchUp(long group, Optional<Event> best) {
            boolean full =
                    best.isPresent() && JournalKeys.number(best.get().sequenceNumber()) == JournalKeys.GROUP_SIZE - 1;
            if (!full && !highDistrust) {
                return CompletableFuture.completedFuture(best);
            }
            return groups.last(group + 1)
                    .thenCompose(next ->
                            next.isPresent() ? searchUp(group + 1, next) : CompletableFuture.completedFuture(best));
        }

        private CompletionStage<Optional<Event>> last(long group) {
            return group == hintGroup
                    ? hintPage.thenCompose(page ->
                            page.next().isEmpty() ? CompletableFuture.completedFuture(page.last()) : groups.last(group))
                    : groups.last(group);
        }

        Tail tail(Optional<Event> last) {
            long lastStored = last.map(Event::sequenceNumber).orElse(0L);
            long timestamp =
                    Math.max(marks.timestamp(), last.map(Event::timestamp).orElse(0L));
            Head head = new Head(Math.max(lastStored, marks.low() - 1), timestamp);
            return new Tail(head, marks.low(), pages, hint, clock.instant());
        }
    }
}
