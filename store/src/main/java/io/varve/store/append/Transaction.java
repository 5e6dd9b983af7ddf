package io.varve.store.append;

import io.varve.store.append.Appender.Prepared;
import io.varve.store.layout.ItemSize;
import io.varve.store.table.JournalTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * A run of an atomic write's events, small enough for one transaction, with the marks that belong to it.
 *
 * @param firstEvent the index of its first event
 * @param items its events' items
 * @param extras the marks and stand-ins written with them
 */
record Transaction(int firstEvent, List<Map<String, AttributeValue>> items, List<Map<String, AttributeValue>> extras) {
    private static final int MAX_ACTIONS = 100;
    private static final int MAX_BYTES = 4_000_000;

    int events() {
        return items.size();
    }

    /** The events first, so that an index of an answer is the index of an event. */
    List<TransactWriteItem> actions(Prepared prepared, boolean checkBatch) {
        JournalTable table = prepared.table();
        List<TransactWriteItem> actions = new ArrayList<>(MAX_ACTIONS);
        items.forEach(item -> actions.add(EventWrites.transactPutIfFree(table.name(), item)));
        extras.forEach(item -> actions.add(EventWrites.transactPut(table.name(), item)));
        if (checkBatch) {
            actions.add(EventWrites.checkBatch(
                    table, prepared.persistenceId(), prepared.firstSequenceNumber(), prepared.batchId()));
        }
        return actions;
    }

    /** Cuts an atomic write into transactions, each with {@code reserved} actions to spare. */
    static List<Transaction> pack(
            List<Map<String, AttributeValue>> items,
            Map<Integer, List<Map<String, AttributeValue>>> extras,
            int reserved) {
        List<Transaction> transactions = new ArrayList<>();
        Transaction current = new Transaction(0, new ArrayList<>(), new ArrayList<>());
        int bytes = 0;
        for (int i = 0; i < items.size(); i++) {
            List<Map<String, AttributeValue>> along = extras.getOrDefault(i, List.of());
            int size = ItemSize.of(items.get(i));
            int actions = current.items.size() + current.extras.size() + 1 + along.size() + reserved;
            if (!current.items.isEmpty() && (actions > MAX_ACTIONS || bytes + size > MAX_BYTES)) {
                transactions.add(current);
                current = new Transaction(i, new ArrayList<>(), new ArrayList<>());
                bytes = 0;
            }
            current.items.add(items.get(i));
            current.extras.addAll(along);
            bytes += size;
        }
        transactions.add(current);
        return transactions;
    }
}
