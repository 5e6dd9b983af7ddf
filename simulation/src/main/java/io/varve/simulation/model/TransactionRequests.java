package io.varve.simulation.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsRequest;

/** Writes that take effect together or not at all; the same token again changes nothing. */
final class TransactionRequests {
    private static final int MAX_ACTIONS = 100;
    private static final int MAX_BYTES = 4 * 1024 * 1024;
    private static final CancellationReason NONE =
            CancellationReason.builder().code("None").build();

    private final Storage tables;
    private final Map<String, List<TransactWriteItem>> tokens = new HashMap<>();

    TransactionRequests(Storage tables) {
        this.tables = tables;
    }

    void write(TransactWriteItemsRequest request) {
        List<TransactWriteItem> items = request.transactItems();
        @Nullable String token = request.clientRequestToken();
        if (token != null && tokens.containsKey(token)) {
            if (!items.equals(tokens.get(token))) {
                throw Errors.otherRequestOfToken();
            }
            return;
        }
        List<Write> actions = new ArrayList<>(items.size());
        items.forEach(item -> actions.add(Write.of(tables, item)));
        checkLimits(items, actions);
        checkConditions(actions);
        List<@Nullable StoredItem> after = new ArrayList<>(actions.size());
        actions.forEach(action -> after.add(action.after()));
        for (int i = 0; i < actions.size(); i++) {
            Write action = actions.get(i);
            if (action.changes()) {
                tables.store(action.table(), action.key(), after.get(i));
            }
        }
        if (token != null) {
            tokens.put(token, items);
        }
    }

    private static void checkConditions(List<Write> actions) {
        List<CancellationReason> reasons = new ArrayList<>(actions.size());
        boolean failed = false;
        for (Write action : actions) {
            @Nullable Map<String, AttributeValue> before = action.inTheWay();
            failed |= before != null;
            reasons.add(before == null ? NONE : reason(action, before));
        }
        if (failed) {
            throw Errors.cancelled(reasons);
        }
    }

    private static CancellationReason reason(Write action, Map<String, AttributeValue> before) {
        CancellationReason.Builder reason =
                CancellationReason.builder().code("ConditionalCheckFailed").message("The conditional request failed");
        return (action.returnsOld() && !before.isEmpty() ? reason.item(before) : reason).build();
    }

    private static void checkLimits(List<TransactWriteItem> items, List<Write> actions) {
        if (actions.isEmpty() || actions.size() > MAX_ACTIONS) {
            throw Errors.validation("Member must have length less than or equal to 100");
        }
        Set<Map.Entry<String, Key>> keys = new HashSet<>();
        long bytes = 0;
        for (int i = 0; i < actions.size(); i++) {
            Write action = actions.get(i);
            if (!keys.add(Map.entry(action.table().name(), action.key()))) {
                throw Errors.validation("Transaction request cannot include multiple operations on one item");
            }
            Put put = items.get(i).put();
            bytes += put == null ? 0 : Values.size(put.item());
        }
        if (bytes > MAX_BYTES) {
            throw Errors.validation("Transaction request cannot be larger than 4MB");
        }
    }
}
