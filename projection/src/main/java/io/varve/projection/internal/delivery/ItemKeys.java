package io.varve.projection.internal.delivery;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/**
 * Which items actions are about, as far as that is known.
 *
 * <p>A put does not say which of its attributes are the key. They are known as soon as an action with a key was seen of its table;
 * before that, and in tables of which there are only puts, DynamoDB has to refuse what changes an item twice.
 */
final class ItemKeys {
    private static final int MOST_TABLES = 1_000;

    private final Map<String, Set<String>> names = new ConcurrentHashMap<>();

    /** An item of a table. */
    record ItemKey(String table, Map<String, AttributeValue> key) {}

    /** The items of these actions; a list of the user's can hold anything. */
    Set<ItemKey> of(Collection<TransactWriteItem> actions) {
        Set<ItemKey> items = new HashSet<>();
        for (TransactWriteItem action : actions) {
            if (action != null) {
                of(action).ifPresent(items::add);
            }
        }
        return items;
    }

    private Optional<ItemKey> of(TransactWriteItem action) {
        if (action.update() != null) {
            return keyed(action.update().tableName(), action.update().key());
        }
        if (action.delete() != null) {
            return keyed(action.delete().tableName(), action.delete().key());
        }
        if (action.conditionCheck() != null) {
            return keyed(
                    action.conditionCheck().tableName(), action.conditionCheck().key());
        }
        return action.put() == null
                ? Optional.empty()
                : put(action.put().tableName(), action.put().item());
    }

    private Optional<ItemKey> keyed(@Nullable String table, Map<String, AttributeValue> key) {
        if (table == null || key.isEmpty()) {
            return Optional.empty();
        }
        if (names.size() < MOST_TABLES) {
            names.putIfAbsent(table, Set.copyOf(key.keySet()));
        }
        return Optional.of(new ItemKey(table, key));
    }

    private Optional<ItemKey> put(@Nullable String table, Map<String, AttributeValue> item) {
        Set<String> known = table == null ? Set.of() : names.getOrDefault(table, Set.of());
        if (known.isEmpty() || !item.keySet().containsAll(known)) {
            return Optional.empty();
        }
        Map<String, AttributeValue> key = new HashMap<>(item);
        key.keySet().retainAll(known);
        return Optional.of(new ItemKey(String.valueOf(table), key));
    }
}
