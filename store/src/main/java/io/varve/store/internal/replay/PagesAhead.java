package io.varve.store.internal.replay;

import io.varve.store.internal.client.Budget;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.JournalKeys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The groups of a scan, a bounded number of them under way or waiting. Those that the tail was found with are not read twice. */
final class PagesAhead {
    private final Groups groups;
    private final long start;
    private final int parallelism;
    private final Map<Long, CompletionStage<Groups.Page>> pages = new HashMap<>();
    private final Map<Long, Groups.Page> tops = new HashMap<>();
    /** By group, the number before which it was read when the tail was not known yet. */
    private final Map<Long, Long> readBeforeTail = new HashMap<>();

    /** The groups of an entity from the sequence number {@code start} on. */
    PagesAhead(Groups groups, long start, FetchedPages fetched, int parallelism) {
        this.groups = groups;
        this.start = start;
        this.parallelism = parallelism;
        if (fetched.from() <= start) {
            pages.putAll(fetched.pages());
            fetched.pages().keySet().forEach(group -> readBeforeTail.put(group, JournalKeys.groupStart(group + 1)));
        }
    }

    /** The first page of a group; those after it, up to the last one that is wanted, are asked for. */
    CompletionStage<Groups.Page> first(long group, long lastGroup, Budget budget) {
        CompletionStage<Groups.Page> kept = pages.remove(group);
        CompletionStage<Groups.Page> current = kept == null
                ? again(firstOf(group), budget)
                : kept.thenCompose(page -> {
                    if (page.below().isEmpty()) {
                        return CompletableFuture.completedFuture(page);
                    }
                    tops.put(group, page); // the group has more than a page, and its end was read first
                    return from(firstOf(group), budget);
                });
        for (long ahead = group + 1; ahead < group + parallelism && ahead <= lastGroup; ahead++) {
            pages.computeIfAbsent(ahead, next -> again(firstOf(next), budget));
        }
        return current;
    }

    private long firstOf(long group) {
        return Math.max(start, JournalKeys.groupStart(group));
    }

    /** The page that begins with a sequence number; the end of the group, if it was read before, is not read again. */
    CompletionStage<Groups.Page> from(long number, Budget budget) {
        long group = JournalKeys.group(number);
        Optional<Groups.Page> top = Optional.ofNullable(tops.get(group));
        if (top.isEmpty()) {
            return again(number, budget);
        }
        int below = top.get().below().orElseThrow();
        return JournalKeys.number(number) > below
                ? CompletableFuture.completedFuture(top.get().upwards())
                : groups.page(group, JournalKeys.number(number), below, budget)
                        .thenApply(page -> page.next().isPresent() ? page : joined(page, top.get()));
    }

    private static Groups.Page joined(Groups.Page page, Groups.Page top) {
        List<Event> events = new ArrayList<>(page.events());
        events.addAll(top.events());
        return new Groups.Page(page.group(), events, Optional.empty(), Optional.empty());
    }

    /** The page that begins with a sequence number, read now. */
    CompletionStage<Groups.Page> again(long number, Budget budget) {
        return groups.page(JournalKeys.group(number), JournalKeys.number(number), budget);
    }

    /** Whether a number was read when the tail was not known yet, so that something else may stand there since. */
    boolean isOutdated(long number) {
        return number < readBeforeTail.getOrDefault(JournalKeys.group(number), 0L);
    }

    /** The group is being read anew from this number on. */
    void renewed(long number) {
        readBeforeTail.put(JournalKeys.group(number), number);
        tops.remove(JournalKeys.group(number));
    }

    /** Forgets all that was read: the scan goes back. */
    void clear() {
        pages.clear();
        tops.clear();
        readBeforeTail.clear();
    }
}
