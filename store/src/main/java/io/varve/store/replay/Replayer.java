package io.varve.store.replay;

import io.varve.store.VarveException;
import io.varve.store.client.Concurrently;
import io.varve.store.layout.Event;
import io.varve.store.layout.JournalKeys;
import io.varve.store.table.JournalTable;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Delivers an entity's events in order, a bounded number of groups ahead of the receiver.
 *
 * <p>Numbers can be missing for good, because their events were rejected. They can also be missing because somebody deletes
 * while this reads; then what has been delivered is not the entity's history, and the replay fails. So the low mark is looked at
 * again when a number is missing.
 */
public final class Replayer {
    private final int parallelism;
    private final InstantSource clock;

    /** A replayer that has up to {@code parallelism} groups under way or waiting for the receiver. */
    public Replayer(int parallelism, InstantSource clock) {
        this.parallelism = parallelism;
        this.clock = clock;
    }

    /**
     * What to replay.
     *
     * @param from the first sequence number, both bounds inclusive
     * @param max how many stored events to look at, those of incomplete atomic writes included
     */
    public record Range(String persistenceId, long from, long to, long max) {}

    /**
     * Hands the events of a range to the receiver, page by page; the next page is handed over when the stage that the receiver
     * returned is complete. Pages that {@code tail} has read already are not read again.
     */
    public CompletionStage<Void> replay(
            JournalTable table, Range range, Tail tail, Function<List<Event>, ? extends CompletionStage<?>> receiver) {
        long start = Math.max(Math.max(1, range.from()), tail.low());
        long end = Math.min(range.to(), tail.head().sequenceNumber());
        if (start > end || range.max() <= 0) {
            return CompletableFuture.completedFuture(null);
        }
        Run run = new Run(table, range, tail, start, end, receiver);
        return Concurrently.run(() -> run, 1, Run::step);
    }

    /** One replay: an iterator of itself as long as there are pages, of which {@link Concurrently} takes one after another. */
    private final class Run implements Iterator<Run> {
        private final JournalTable table;
        private final String persistenceId;
        private final Groups groups;
        private final long start;
        private final long end;
        private final Function<List<Event>, ? extends CompletionStage<?>> receiver;
        private final Map<Long, CompletionStage<Groups.Page>> pages = new HashMap<>();
        private final List<Event> complete = new ArrayList<>();
        private final BatchFilter filter;
        private final Instant now = clock.instant();
        private long left;
        private long expected;
        private long group;
        private Optional<Integer> nextNumber = Optional.empty();

        Run(
                JournalTable table,
                Range range,
                Tail tail,
                long start,
                long end,
                Function<List<Event>, ? extends CompletionStage<?>> receiver) {
            this.table = table;
            this.persistenceId = range.persistenceId();
            this.groups = new Groups(table, persistenceId);
            this.expected = start;
            this.start = start;
            this.end = end;
            this.receiver = receiver;
            this.left = range.max();
            this.group = JournalKeys.group(start);
            this.filter = new BatchFilter(start, this::keep);
            if (tail.from() <= start) {
                pages.putAll(tail.pages());
            }
        }

        @Override
        public boolean hasNext() {
            return left > 0 && group <= JournalKeys.group(end);
        }

        @Override
        public Run next() {
            return this;
        }

        private CompletionStage<?> step() {
            return (nextNumber.isPresent()
                            ? groups.page(
                                    group, nextNumber.get(), table.gateway().budget())
                            : nextGroup())
                    .thenCompose(this::deliver);
        }

        private CompletionStage<Groups.Page> nextGroup() {
            CompletionStage<Groups.Page> kept = pages.remove(group);
            CompletionStage<Groups.Page> current = kept == null ? firstPage(group) : kept;
            for (long ahead = group + 1; ahead < group + parallelism && ahead <= JournalKeys.group(end); ahead++) {
                pages.computeIfAbsent(ahead, this::firstPage);
            }
            return current;
        }

        private CompletionStage<Groups.Page> firstPage(long of) {
            return groups.page(
                    of,
                    of == JournalKeys.group(start) ? JournalKeys.number(start) : 0,
                    table.gateway().budget());
        }

        private CompletionStage<?> deliver(Groups.Page page) {
            long missing = Long.MAX_VALUE;
            complete.clear();
            for (Event event : page.events()) {
                if (event.sequenceNumber() >= start && event.sequenceNumber() <= end && left > 0) {
                    missing = event.sequenceNumber() > expected ? Math.min(missing, expected) : missing;
                    expected = event.sequenceNumber() + 1;
                    left--;
                    filter.add(event);
                }
            }
            nextNumber = page.next();
            if (nextNumber.isEmpty()) {
                group++;
            }
            if (left > 0 && expected <= end && !hasNext()) {
                missing = Math.min(missing, expected);
            }
            List<Event> delivery = List.copyOf(complete);
            return checkNotDeleted(missing).thenCompose(ok -> hand(delivery));
        }

        private CompletionStage<Void> hand(List<Event> delivery) {
            return delivery.isEmpty()
                    ? CompletableFuture.completedFuture(null)
                    : receiver.apply(delivery).thenApply(done -> null);
        }

        private CompletionStage<Void> checkNotDeleted(long missing) {
            if (missing == Long.MAX_VALUE) {
                return CompletableFuture.completedFuture(null);
            }
            return Marks.read(table, persistenceId, table.gateway().budget()).thenAccept(marks -> {
                if (marks.low() > missing) {
                    throw new VarveException("The events of '" + persistenceId + "' up to " + (marks.low() - 1)
                            + " were deleted while they were being replayed, so that " + missing
                            + " is missing: recover the entity again.");
                }
            });
        }

        private void keep(Event event) {
            if (!event.isExpired(now)) {
                complete.add(event);
            }
        }
    }
}
