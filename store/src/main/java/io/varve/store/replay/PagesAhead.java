package io.varve.store.replay;

import io.varve.store.layout.JournalKeys;
import io.varve.store.table.JournalTable;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** The groups of a pass, a bounded number of them under way or waiting. Those that the tail was found with are not read twice. */
final class PagesAhead {
    private final JournalTable table;
    private final Groups groups;
    private final long start;
    private final int parallelism;
    private final Map<Long, CompletionStage<Groups.Page>> pages = new HashMap<>();
    private final Set<Long> readBeforeTail = new HashSet<>();

    /** The groups of an entity from the sequence number {@code start} on. */
    PagesAhead(JournalTable table, String persistenceId, long start, Tail tail, int parallelism) {
        this.table = table;
        this.groups = new Groups(table, persistenceId);
        this.start = start;
        this.parallelism = parallelism;
        if (tail.from() <= start) {
            pages.putAll(tail.pages());
            readBeforeTail.addAll(tail.pages().keySet());
        }
    }

    /** The first page of a group; those after it, up to the last one that is wanted, are asked for. */
    CompletionStage<Groups.Page> first(long group, long lastGroup) {
        CompletionStage<Groups.Page> kept = pages.remove(group);
        CompletionStage<Groups.Page> current = kept == null ? firstPage(group) : kept;
        for (long ahead = group + 1; ahead < group + parallelism && ahead <= lastGroup; ahead++) {
            pages.computeIfAbsent(ahead, this::firstPage);
        }
        return current;
    }

    private CompletionStage<Groups.Page> firstPage(long group) {
        return from(Math.max(start, JournalKeys.groupStart(group)));
    }

    /** The page that begins with a sequence number, read now. */
    CompletionStage<Groups.Page> from(long number) {
        return groups.page(
                JournalKeys.group(number),
                JournalKeys.number(number),
                table.gateway().budget());
    }

    /** Whether the group was read when the tail was not known yet, so that it may lack what was stored since. */
    boolean isOutdated(long group) {
        return readBeforeTail.contains(group);
    }

    /** Does not take this group for outdated again, because it is being read anew. */
    void renewed(long group) {
        readBeforeTail.remove(group);
    }

    /** Forgets all that was read: the pass goes back. */
    void clear() {
        pages.clear();
        readBeforeTail.clear();
    }
}
