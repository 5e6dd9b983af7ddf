package io.varve.store.internal.append;

import io.varve.store.internal.async.Loop;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.layout.LastWritten;
import io.varve.store.internal.table.JournalTable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

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
    private final Appender options;
    private final JournalTable table;
    private final PortionSender sender;
    private final List<AppendRequest> writes;
    private final Supplier<Budget> budget;
    private final StoredStep stored;
    private final List<AppendResult> results = new ArrayList<>();
    private LastWritten head;

    WriteQueue(
            Appender options,
            LastWritten head,
            List<AppendRequest> writes,
            Supplier<Budget> budget,
            StoredStep stored) {
        this.options = options;
        this.table = options.table();
        this.sender = new PortionSender(table);
        this.head = head;
        this.writes = writes;
        this.budget = budget;
        this.stored = stored;
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
            if (!answers.isEmpty()
                    && !portion.hasRoomFor(free.count() + write.events().size())) {
                break; // it is encoded when its turn comes
            }
            EncodedWrite encoded =
                    EncodedWrite.of(table, write, free, options.clock().instant());
            AppendResult answer = encoded.result(options.maxItemSize());
            boolean rejected = answer instanceof AppendResult.Rejected;
            if (!rejected && !(options.isOneTransaction(write) && portion.add(free, encoded.events()))) {
                if (answers.isEmpty()) {
                    return alone(encoded);
                }
                break;
            }
            answers.add(answer);
        }
        return (portion.isEmpty() ? done() : store(portion, budget.get())).thenRun(() -> results.addAll(answers));
    }

    /** Stores a write that needs more than one request. */
    private CompletionStage<Void> alone(EncodedWrite single) {
        LastWritten filled = single.free().filled();
        boolean atOnce = options.isOneTransaction(single.write());
        boolean chain = atOnce && !Portion.transaction(table, filled).add(single.events());
        EncodedWrite write =
                chain ? single.inChain(table.gateway().surroundings().uniqueName()) : single;
        AppendResult answer = write.result(options.maxItemSize());
        Budget time = budget.get();
        CompletionStage<Void> sent = answer instanceof AppendResult.Rejected
                ? done()
                : fill(write.write(), time).thenCompose(full -> {
                    if (chain) {
                        return chain(
                                Portion.chain(table, filled, write.events()),
                                write.events().get(0),
                                time);
                    }
                    Portion whole = Portion.whole(table, filled, write.events());
                    return atOnce ? store(whole, time) : batch(whole, time);
                });
        return sent.thenRun(() -> results.add(answer));
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
        return sender.chain(links, first, time)
                .thenCompose(sent -> moveTo(links.get(links.size() - 1).end()));
    }

    private CompletionStage<Void> store(Portion portion, Budget time) {
        return sender.send(portion, time).thenCompose(sent -> moveTo(portion.end()));
    }

    private CompletionStage<Void> batch(Portion portion, Budget time) {
        return sender.batch(portion, time).thenCompose(sent -> moveTo(portion.end()));
    }

    private CompletionStage<Void> moveTo(LastWritten end) {
        LastWritten before = head;
        head = end;
        return stored.stored(before, end);
    }

    private static CompletionStage<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
