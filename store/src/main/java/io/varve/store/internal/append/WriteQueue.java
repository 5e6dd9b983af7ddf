package io.varve.store.internal.append;

import io.varve.store.internal.append.AppendRequest.NewEvent;
import io.varve.store.internal.async.Concurrently;
import io.varve.store.internal.async.Loop;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.layout.Event;
import io.varve.store.internal.layout.LastWritten;
import io.varve.store.internal.layout.Microseconds;
import io.varve.store.internal.table.JournalTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * The atomic writes of one entity that wait together.
 *
 * <p><b>Which request.</b> One event is a conditional put. The first event that is stored in a group takes the group's high mark
 * along, in a transaction. Several events are one transaction. If enough writes wait, as many as fit go into one transaction;
 * each still is an atomic write of its own, and is rejected on its own. The numbers of rejected events get
 * {@linkplain FreeNumbers placeholders} in the transaction of the next write, or, if they do not fit there, before it.
 *
 * <p><b>Too many for one transaction.</b> Then a chain of them, in order, whose events carry one batch id. An unfinished chain
 * is invisible to readers, and the next recovery removes it, which must not collide with a writer that is merely slow. So each
 * transaction but the first one checks that the chain's first event is still there, and the recovery deletes exactly that event
 * in a transaction which checks that the chain's last event is not there yet: only one of the two can win.
 */
final class WriteQueue {
    private static final int MARKS_AT_ONCE = 4;

    private final Appender options;
    private final JournalTable table;
    private final List<AppendRequest> writes;
    private final Supplier<Budget> budget;
    private final Consumer<LastWritten> moved;
    private final List<AppendResult> results = new ArrayList<>();
    private LastWritten head;

    WriteQueue(
            Appender options,
            JournalTable table,
            LastWritten head,
            List<AppendRequest> writes,
            Supplier<Budget> budget,
            Consumer<LastWritten> moved) {
        this.options = options;
        this.table = table;
        this.head = head;
        this.writes = writes;
        this.budget = budget;
        this.moved = moved;
    }

    CompletionStage<List<AppendResult>> run() {
        return Loop.repeat(() -> results.size() < writes.size(), this::step).thenApply(done -> results);
    }

    /** Stores the next write; with those behind it, if enough of them wait, as far as they fit into one transaction. */
    private CompletionStage<Void> step() {
        List<AppendRequest> waiting = writes.subList(results.size(), writes.size());
        List<AppendRequest> together = waiting.size() < options.joinFrom() ? waiting.subList(0, 1) : waiting;
        List<AppendResult> answers = new ArrayList<>();
        Portion portion = Portion.transaction(table, head);
        for (AppendRequest write : together) {
            table.keys().check(write.persistenceId());
            FreeNumbers free = FreeNumbers.before(write, portion.end());
            List<EventItem> events = events(write, free.filled(), Optional.empty());
            Optional<AppendResult> rejected = rejected(events);
            if (rejected.isEmpty() && !(isOneTransaction(write) && portion.add(free, events))) {
                break;
            }
            answers.add(rejected.orElseGet(() -> stored(events)));
        }
        if (answers.isEmpty()) {
            return alone(waiting.get(0));
        }
        CompletionStage<Void> sent = portion.isEmpty() ? done() : store(portion, budget.get());
        return sent.thenRun(() -> results.addAll(answers));
    }

    /** Stores a write that needs more than one request. */
    private CompletionStage<Void> alone(AppendRequest write) {
        LastWritten filled = FreeNumbers.before(write, head).filled();
        List<EventItem> single = events(write, filled, Optional.empty());
        boolean chain =
                isOneTransaction(write) && !Portion.transaction(table, filled).add(single);
        List<EventItem> events = chain
                ? events(
                        write,
                        filled,
                        Optional.of(table.gateway().surroundings().uniqueName()))
                : single;
        AppendResult result = rejected(events).orElseGet(() -> stored(events));
        Budget time = budget.get();
        CompletionStage<Void> sent = result instanceof AppendResult.Rejected
                ? done()
                : fill(write, time)
                        .thenCompose(full -> chain
                                ? chain(Portion.chain(table, filled, events), events.get(0), time)
                                : send(Portion.whole(table, filled, events), write, time));
        return sent.thenRun(() -> results.add(result));
    }

    private CompletionStage<Void> send(Portion portion, AppendRequest write, Budget time) {
        return isOneTransaction(write) ? store(portion, time) : batch(portion, time);
    }

    /** Takes the free numbers before a write, as many in a transaction as fit. */
    private CompletionStage<Void> fill(AppendRequest write, Budget time) {
        return Loop.repeat(() -> FreeNumbers.before(write, head).count() > 0, () -> {
            Portion portion = Portion.transaction(table, head);
            portion.addSome(FreeNumbers.before(write, head));
            return store(portion, time);
        });
    }

    /** The head moves when the chain is complete: a part of it counts for nothing. */
    private CompletionStage<Void> chain(List<Portion> links, EventItem first, Budget time) {
        return Loop.forEach(links, link -> {
                    boolean begins = link == links.get(0);
                    return send(
                            link, begins ? Optional.empty() : Optional.of(EventWrites.checkBatch(table, first)), time);
                })
                .thenRun(() -> moveTo(links.get(links.size() - 1).end()));
    }

    private CompletionStage<Void> store(Portion portion, Budget time) {
        return send(portion, Optional.empty(), time).thenRun(() -> moveTo(portion.end()));
    }

    private CompletionStage<Void> send(Portion portion, Optional<TransactWriteItem> check, Budget time) {
        List<TransactWriteItem> actions = portion.actions();
        check.ifPresent(actions::add);
        return (actions.size() == 1
                        ? table.gateway().putItem(portion.put(), time)
                        : table.gateway().transactWriteItems(actions, time))
                .thenAccept(portion::check);
    }

    /** High marks first: a mark without events does no harm, events without their mark may be overlooked. */
    private CompletionStage<Void> batch(Portion portion, Budget time) {
        return Concurrently.run(
                        portion.marks(),
                        MARKS_AT_ONCE,
                        mark -> table.gateway().putItem(EventWrites.putIfHigher(table.name(), mark), time))
                .thenCompose(marked -> table.gateway().batchWrite(table.name(), portion.batchPuts(), time))
                .thenRun(() -> moveTo(portion.end()));
    }

    private void moveTo(LastWritten end) {
        head = end;
        moved.accept(end);
    }

    private boolean isOneTransaction(AppendRequest write) {
        return write.events().size() == 1 || options.atomicWrites() == AtomicWrites.TRANSACTIONAL;
    }

    private List<EventItem> events(AppendRequest write, LastWritten before, Optional<String> batchId) {
        int size = write.events().size();
        long timestamp = Math.max(Microseconds.of(options.clock().instant()), before.timestamp() + 1);
        List<EventItem> events = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            NewEvent event = write.events().get(i);
            events.add(EventItem.of(
                    table,
                    new Event(
                            write.persistenceId(),
                            event.sequenceNumber(),
                            event.payload(),
                            event.writer(),
                            event.manifest(),
                            event.metadata(),
                            event.tags(),
                            timestamp + i,
                            size == 1 ? Optional.empty() : Optional.of(new Event.Batch(i, size - 1, batchId)),
                            Optional.empty(),
                            false)));
        }
        return events;
    }

    private static AppendResult stored(List<EventItem> events) {
        return new AppendResult.Stored(events.stream().map(EventItem::event).toList());
    }

    private Optional<AppendResult> rejected(List<EventItem> events) {
        return events.stream()
                .filter(event -> event.size() > options.maxItemSize())
                .findFirst()
                .map(large -> new AppendResult.Rejected(large.tooLarge(options.maxItemSize())));
    }

    private static CompletionStage<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
