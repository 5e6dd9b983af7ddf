package io.varve.simulation.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;

/** The tables, and the one way in which their items change. */
final class Storage {
    private static final int MAX_ITEM = 400 * 1024;

    private final Map<String, Table> tables = new HashMap<>();
    private final Engine.Indexing indexing;
    private final List<BiConsumer<String, Map<String, AttributeValue>>> listeners = new ArrayList<>();

    Storage(Engine.Indexing indexing) {
        this.indexing = indexing;
    }

    void listen(BiConsumer<String, Map<String, AttributeValue>> listener) {
        listeners.add(listener);
    }

    void create(CreateTableRequest definition) {
        tables.put(definition.tableName(), new Table(definition));
    }

    Table table(String name) {
        return Optional.ofNullable(tables.get(name)).orElseThrow(() -> Errors.noTable(name));
    }

    /** An item that may be stored under a key. */
    static StoredItem checked(Table table, Key key, Map<String, AttributeValue> attributes) {
        StoredItem item = StoredItem.of(attributes);
        if (item.bytes() > MAX_ITEM) {
            throw Errors.validation("Item size has exceeded the maximum allowed size");
        }
        if (!table.keyOf(attributes).equals(key)) {
            throw Errors.validation("Cannot update attributes that are part of the key");
        }
        return item;
    }

    /** From now on this stands under a key, or nothing. */
    void store(Table table, Key key, @Nullable StoredItem item) {
        table.store(key, item);
        if (item != null) {
            listeners.forEach(listener -> listener.accept(table.name(), item.attributes()));
        }
        table.indexes().forEach((name, index) -> {
            if (index.isGlobal()) {
                indexing.changed(
                        name, key, item == null ? null : item.attributes(), () -> table.catchUp(index, key, item));
            } else {
                table.catchUp(index, key, item);
            }
        });
    }
}
