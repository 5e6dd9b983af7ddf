package io.varve.store.internal.append;

import io.varve.store.internal.async.Concurrently;
import io.varve.store.internal.async.Loop;
import io.varve.store.internal.client.Budget;
import io.varve.store.internal.table.JournalTable;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** Sends portions; fails if another writer's event is in the way. */
final class PortionSender {
    private static final int MARKS_AT_ONCE = 4;

    private final JournalTable table;

    PortionSender(JournalTable table) {
        this.table = table;
    }

    /** All or nothing: a conditional put if it is a single item, otherwise a transaction. */
    CompletionStage<Void> send(Portion portion, Budget budget) {
        return send(portion, Optional.empty(), budget);
    }

    /** One transaction after the other; those after the first check that the chain was not given up. */
    CompletionStage<Void> chain(List<Portion> links, EventItem first, Budget budget) {
        return Loop.forEach(links, link -> {
            boolean begins = link == links.get(0);
            return send(link, begins ? Optional.empty() : Optional.of(EventWrites.checkBatch(table, first)), budget);
        });
    }

    private CompletionStage<Void> send(Portion portion, Optional<TransactWriteItem> check, Budget budget) {
        return (portion.size() == 1 && check.isEmpty()
                        ? table.gateway().putItem(portion.put(), budget)
                        : table.gateway().transactWriteItems(actions(portion, check), budget))
                .thenAccept(portion::check);
    }

    private static List<TransactWriteItem> actions(Portion portion, Optional<TransactWriteItem> check) {
        List<TransactWriteItem> actions = portion.actions();
        check.ifPresent(actions::add);
        return actions;
    }

    /** In batches. High marks first: a mark without events does no harm, events without their mark may be overlooked. */
    CompletionStage<Void> batch(Portion portion, Budget budget) {
        return Concurrently.run(
                        portion.marks(),
                        MARKS_AT_ONCE,
                        mark -> table.gateway().putItem(EventWrites.putIfHigher(table.name(), mark), budget))
                .thenCompose(marked -> table.gateway().batchWrite(table.name(), portion.batchPuts(), budget));
    }
}
