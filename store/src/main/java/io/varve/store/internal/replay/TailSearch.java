package io.varve.store.internal.replay;

import io.varve.store.internal.client.Budget;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.JournalKeys;
import io.varve.store.internal.layout.LastWritten;
import io.varve.store.internal.table.JournalTable;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One search for the last event of an entity.
 *
 * <p>The high mark is a hint: tables of the predecessors lack marks, and a group may have lost its events again. So the search
 * starts at the highest group that hint or marks name, goes down to the first one that has events, and up again as long as a
 * group's last place is taken.
 *
 * <p>Marks judge only what was read before them: an event can be deleted, and a write that was given up can arrive in its number, but
 * a deletion raises the low mark before it takes any event away. So the marks are read after the hint's group, which mostly holds the
 * last event. Where other groups decide, which are read because of the marks, {@link #isCertain} says no, and {@link #wasOvertaken}
 * reads the low mark once more.
 */
final class TailSearch {
    private static final int GROUPS_BELOW_HINT = 3;
    private static final int EVENTS_WITH_TIMESTAMPS = 10;

    /**
     * What is searched for.
     *
     * @param hint a number that the tail is not below
     * @param prefetch how many groups to fetch at once for the replay that follows, the hint's first; 0 if none follows
     */
    record Scope(String persistenceId, long hint, int prefetch, Budget budget) {}

    private final JournalTable table;
    private final Scope scope;
    private final boolean highDistrust;
    private final Budget budget;
    private final Groups groups;
    private final MarkReader markReader;
    private final long hintGroup;
    private final Map<Long, CompletionStage<Groups.Page>> pages = new HashMap<>();
    private CompletionStage<Groups.Page> hintPage = CompletableFuture.completedFuture(Groups.Page.EMPTY);
    private Marks marks = Marks.NONE;
    private boolean readAfterMarks;

    /** A search that sends nothing yet; with {@code highDistrust} it looks one group further also after one whose last place is free. */
    TailSearch(JournalTable table, Scope scope, boolean highDistrust) {
        this.table = table;
        this.scope = scope;
        this.highDistrust = highDistrust;
        this.budget = scope.budget();
        this.groups = new Groups(table, scope.persistenceId());
        this.markReader = new MarkReader(table);
        this.hintGroup = JournalKeys.group(scope.hint());
    }

    /** The last event from the hint on, or, unless the hint asks for more, of the hint's group. */
    CompletionStage<Optional<Event>> run() {
        table.keys().check(scope.persistenceId());
        if (scope.prefetch() > 0) {
            hintPage = groups.pageDown(hintGroup, JournalKeys.number(scope.hint()), Groups.LAST_NUMBER, budget);
            pages.put(hintGroup, hintPage);
        } else {
            hintPage = groups.lastPage(hintGroup, Groups.LAST_NUMBER, 1, budget);
        }
        return hintPage.thenCompose(page -> markReader.read(scope.persistenceId(), budget))
                .thenCompose(found -> {
                    marks = found;
                    long target = Math.max(
                            hintGroup, Math.max(JournalKeys.group(found.high()), JournalKeys.group(found.low())));
                    fetchAhead(target);
                    return searchDown(target);
                });
    }

    /** The last event, also if the hint is the number of one that was rejected or deleted. */
    CompletionStage<Optional<Event>> runFromHint() {
        return run().thenCompose(last -> last.isPresent() || scope.hint() < Math.max(1, marks.low())
                ? CompletableFuture.completedFuture(last)
                : lastBelowHint());
    }

    private void fetchAhead(long target) {
        for (long group = hintGroup + 1; group <= target && group < hintGroup + scope.prefetch(); group++) {
            long first = Math.max(JournalKeys.groupStart(group), marks.low());
            if (JournalKeys.group(first) == group) {
                pages.put(group, groups.page(group, JournalKeys.number(first), budget));
            }
        }
    }

    private CompletionStage<Optional<Event>> searchDown(long target) {
        long lowest = Math.max(hintGroup, JournalKeys.group(marks.low()));
        return last(target)
                .thenCompose(found -> found.isPresent()
                        ? CompletableFuture.completedFuture(found)
                        : LastEvent.in(target - 1, lowest, this::last))
                .thenCompose(found -> searchUp(
                        found.map(e -> JournalKeys.group(e.sequenceNumber())).orElse(lowest), found));
    }

    private CompletionStage<Optional<Event>> searchUp(long group, Optional<Event> best) {
        boolean full = best.isPresent() && JournalKeys.isEndOfGroup(best.get().sequenceNumber());
        if (!full && !highDistrust) {
            return CompletableFuture.completedFuture(best);
        }
        return lastLater(group + 1)
                .thenCompose(
                        next -> next.isPresent() ? searchUp(group + 1, next) : CompletableFuture.completedFuture(best));
    }

    private CompletionStage<Optional<Event>> last(long group) {
        return group == hintGroup ? hintPage.thenApply(Groups.Page::last) : lastLater(group);
    }

    private CompletionStage<Optional<Event>> lastLater(long group) {
        readAfterMarks = true;
        return groups.last(group, budget);
    }

    /**
     * Nothing where the hint says, nor after it: the event there was rejected, or deleted without a mark. Looks only so far below
     * it, and below the high mark: the hint may be a snapshot, and all events before it gone.
     */
    private CompletionStage<Optional<Event>> lastBelowHint() {
        long lowest = JournalKeys.group(marks.low());
        long end = Math.max(lowest, hintGroup - GROUPS_BELOW_HINT + 1);
        List<Long> wanted = LastEvent.down(hintGroup, end);
        long marked = Math.min(JournalKeys.group(marks.high()), end - 1);
        wanted.addAll(LastEvent.down(marked, Math.max(lowest, marked - GROUPS_BELOW_HINT + 1)));
        return LastEvent.of(wanted, this::lastLater);
    }

    /** Whether an event shows that its atomic write is a chain which is not finished, and not deleted either. */
    boolean isOfUnfinishedChain(Event event) {
        return event.sequenceNumber() >= marks.low() && UnfinishedChain.isPartOf(event);
    }

    /** The last event that counts, given the chain that the last one belongs to. */
    CompletionStage<Optional<Event>> lastBefore(UnfinishedChain chain) {
        readAfterMarks = true;
        return new BeforeChain(groups, marks, budget).last(chain);
    }

    /** Whether the marks may judge the tail that was found: all that decided was read before them. */
    boolean isCertain() {
        return !readAfterMarks;
    }

    /** Whether events were deleted while this search looked for them: then it has to be made again. */
    CompletionStage<Boolean> wasOvertaken() {
        return markReader.readLow(scope.persistenceId(), budget).thenApply(again -> again.low() > marks.low());
    }

    /** The end of the entity, given the last event that counts, and the number that it is not below if there is none. */
    RecoveryStart tail(
            Optional<Event> last, long otherwise, long timestamp, List<UnfinishedChain> leftovers, Instant readAt) {
        long lastStored = last.map(Event::sequenceNumber).orElse(otherwise);
        boolean assumed = last.isEmpty() && otherwise > Math.max(0, marks.low() - 1);
        LastWritten head =
                new LastWritten(Math.max(lastStored, marks.low() - 1), Math.max(marks.timestamp(), timestamp), assumed);
        return new RecoveryStart(head, marks.low(), new FetchedPages(scope.hint(), pages), readAt, leftovers);
    }

    /**
     * The newest timestamp up to the last event. Those of the predecessors have none; then one before them counts, in the same group or
     * in the one before.
     */
    CompletionStage<Long> timestamp(Optional<Event> last) {
        if (last.isEmpty() || last.get().timestamp() > 0) {
            return CompletableFuture.completedFuture(last.map(Event::timestamp).orElse(0L));
        }
        long number = last.get().sequenceNumber();
        long group = JournalKeys.group(number);
        return hintPage.thenCompose(page -> {
                    boolean atHand = group == hintGroup
                            && (page.events().size() >= EVENTS_WITH_TIMESTAMPS
                                    || JournalKeys.number(scope.hint()) == 0);
                    return atHand && scope.prefetch() > 0
                            ? CompletableFuture.completedFuture(newest(page))
                            : newest(group, JournalKeys.number(number));
                })
                .thenCompose(found -> found > 0 || group <= JournalKeys.group(marks.low())
                        ? CompletableFuture.completedFuture(found)
                        : newest(group - 1, Groups.LAST_NUMBER));
    }

    private CompletionStage<Long> newest(long group, int upTo) {
        return groups.lastPage(group, upTo, EVENTS_WITH_TIMESTAMPS, budget).thenApply(TailSearch::newest);
    }

    private static long newest(Groups.Page page) {
        return page.events().stream().mapToLong(Event::timestamp).max().orElse(0);
    }
}
