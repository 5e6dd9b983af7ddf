package io.varve.simulation.model;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;

/** A table with its indexes. */
final class Table {
    /** The names of a hash and a sort key. */
    record Schema(String hash, String sort) {
        static Schema of(List<KeySchemaElement> elements) {
            return new Schema(name(elements, KeyType.HASH), name(elements, KeyType.RANGE));
        }

        private static String name(List<KeySchemaElement> elements, KeyType type) {
            return elements.stream()
                    .filter(element -> element.keyType() == type)
                    .map(KeySchemaElement::attributeName)
                    .findFirst()
                    .orElseThrow(() -> Errors.validation("tables without a " + type + " key are not modelled"));
        }

        Optional<Key> in(Map<String, AttributeValue> item) {
            AttributeValue hashKey = item.get(hash);
            AttributeValue sortKey = item.get(sort);
            return hashKey == null || sortKey == null ? Optional.empty() : Optional.of(new Key(hashKey, sortKey));
        }
    }

    /** A secondary index: its own copy of what belongs to it, which may lag behind. */
    static final class Index {
        private final Schema schema;
        private final boolean keysOnly;
        private final boolean global;
        private final NavigableMap<Key, NavigableMap<Key, StoredItem>> entries = new TreeMap<>();
        private final Map<Key, Key> places = new HashMap<>();

        Index(Schema schema, boolean keysOnly, boolean global) {
            this.schema = schema;
            this.keysOnly = keysOnly;
            this.global = global;
        }

        boolean isGlobal() {
            return global;
        }

        private void update(Schema table, Key key, @Nullable StoredItem item) {
            Key old = places.remove(key);
            if (old != null) {
                NavigableMap<Key, StoredItem> same = entries.get(old);
                if (same != null) {
                    same.remove(key);
                    if (same.isEmpty()) {
                        entries.remove(old);
                    }
                }
            }
            if (item == null) {
                return;
            }
            schema.in(item.attributes()).ifPresent(place -> {
                entries.computeIfAbsent(place, p -> new TreeMap<>()).put(key, keysOnly ? keys(table, item) : item);
                places.put(key, place);
            });
        }

        private StoredItem keys(Schema table, StoredItem item) {
            Map<String, AttributeValue> projected = new HashMap<>(item.attributes());
            projected.keySet().retainAll(List.of(table.hash, table.sort, schema.hash, schema.sort));
            return StoredItem.of(projected);
        }
    }

    private final CreateTableRequest definition;
    private final String name;
    private final Schema schema;
    private final Map<String, String> keyTypes = new HashMap<>();
    private final Map<String, Index> indexes = new HashMap<>();
    private final NavigableMap<Key, StoredItem> items = new TreeMap<>();

    Table(CreateTableRequest definition) {
        this.definition = definition;
        this.name = definition.tableName();
        this.schema = Schema.of(definition.keySchema());
        for (AttributeDefinition attribute : definition.attributeDefinitions()) {
            keyTypes.put(attribute.attributeName(), attribute.attributeTypeAsString());
        }
        definition
                .globalSecondaryIndexes()
                .forEach(index -> indexes.put(
                        index.indexName(),
                        new Index(
                                Schema.of(index.keySchema()),
                                index.projection().projectionType() == ProjectionType.KEYS_ONLY,
                                true)));
        definition
                .localSecondaryIndexes()
                .forEach(index -> indexes.put(
                        index.indexName(),
                        new Index(
                                Schema.of(index.keySchema()),
                                index.projection().projectionType() == ProjectionType.KEYS_ONLY,
                                false)));
    }

    CreateTableRequest definition() {
        return definition;
    }

    String name() {
        return name;
    }

    Schema schema() {
        return schema;
    }

    Schema schema(@Nullable String indexName) {
        return indexName == null ? schema : index(indexName).schema;
    }

    Index index(String indexName) {
        return Optional.ofNullable(indexes.get(indexName))
                .orElseThrow(() -> Errors.validation("The table does not have the specified index: " + indexName));
    }

    Map<String, Index> indexes() {
        return indexes;
    }

    NavigableMap<Key, StoredItem> items() {
        return items;
    }

    /** The key of an item that is to be stored, checked as DynamoDB does. */
    Key keyOf(Map<String, AttributeValue> item) {
        for (Map.Entry<String, String> keyType : keyTypes.entrySet()) {
            String attribute = keyType.getKey();
            AttributeValue value = item.get(attribute);
            boolean required = attribute.equals(schema.hash) || attribute.equals(schema.sort);
            if (value == null && required) {
                throw Errors.validation("One of the required keys was not given a value: " + attribute);
            }
            if (value != null && !value.type().name().equals(keyType.getValue())) {
                throw Errors.validation("Type mismatch for key " + attribute);
            }
            if (value != null && value.s() != null && value.s().isEmpty()) {
                throw Errors.validation("The AttributeValue for a key attribute cannot contain an empty string value.");
            }
        }
        return schema.in(item).orElseThrow();
    }

    /** A key as it is given to read, update or delete an item: exactly the key's attributes. */
    Key exactKey(Map<String, AttributeValue> key) {
        if (key.size() != 2) {
            throw Errors.validation("The provided key element does not match the schema");
        }
        return keyOf(key);
    }

    /** Changes the table itself; indexes follow by {@link #catchUp}. Null removes the item. */
    void store(Key key, @Nullable StoredItem item) {
        if (item == null) {
            items.remove(key);
        } else {
            items.put(key, item);
        }
    }

    /** Brings an index up to date with an item as it was at some time. */
    void catchUp(Index index, Key key, @Nullable StoredItem item) {
        index.update(schema, key, item);
    }

    /** An entry of the table or of an index: where it stands there, its primary key, and what it holds. */
    record Entry(Key place, Key key, StoredItem item) {}

    /** The entry after (or, backwards, before) another, or the first (last) one; each call sees the table as it is now. */
    Optional<Entry> next(@Nullable String indexName, @Nullable Entry after, boolean forward) {
        if (indexName == null) {
            Map.Entry<Key, StoredItem> found = after == null
                    ? (forward ? items.firstEntry() : items.lastEntry())
                    : (forward ? items.higherEntry(after.key) : items.lowerEntry(after.key));
            return Optional.ofNullable(found).map(e -> new Entry(e.getKey(), e.getKey(), e.getValue()));
        }
        NavigableMap<Key, NavigableMap<Key, StoredItem>> entries = index(indexName).entries;
        if (after != null) {
            NavigableMap<Key, StoredItem> same = entries.get(after.place);
            if (same != null) {
                Map.Entry<Key, StoredItem> found = forward ? same.higherEntry(after.key) : same.lowerEntry(after.key);
                if (found != null) {
                    return Optional.of(new Entry(after.place, found.getKey(), found.getValue()));
                }
            }
        }
        Map.Entry<Key, NavigableMap<Key, StoredItem>> place = after == null
                ? (forward ? entries.firstEntry() : entries.lastEntry())
                : (forward ? entries.higherEntry(after.place) : entries.lowerEntry(after.place));
        if (place == null) {
            return Optional.empty();
        }
        Map.Entry<Key, StoredItem> found =
                forward ? place.getValue().firstEntry() : place.getValue().lastEntry();
        return Optional.of(new Entry(place.getKey(), found.getKey(), found.getValue()));
    }

    /** The first entry of a hash key from a sort key on, or the last one if it is read backwards; if there is none, one of a neighbour. */
    Optional<Entry> first(
            @Nullable String indexName, AttributeValue hash, Optional<AttributeValue> sort, boolean forward) {
        Key border = new Key(hash, sort.orElseGet(() -> forward ? lowest(indexName) : highest(indexName)));
        if (indexName == null) {
            Map.Entry<Key, StoredItem> found = forward ? items.ceilingEntry(border) : items.floorEntry(border);
            return Optional.ofNullable(found).map(e -> new Entry(e.getKey(), e.getKey(), e.getValue()));
        }
        NavigableMap<Key, NavigableMap<Key, StoredItem>> entries = index(indexName).entries;
        Map.Entry<Key, NavigableMap<Key, StoredItem>> place =
                forward ? entries.ceilingEntry(border) : entries.floorEntry(border);
        if (place == null) {
            return Optional.empty();
        }
        Map.Entry<Key, StoredItem> found =
                forward ? place.getValue().firstEntry() : place.getValue().lastEntry();
        return Optional.of(new Entry(place.getKey(), found.getKey(), found.getValue()));
    }

    private AttributeValue lowest(@Nullable String indexName) {
        return isNumber(indexName) ? AttributeValue.fromN("-99999999999999999") : AttributeValue.fromS("");
    }

    private AttributeValue highest(@Nullable String indexName) {
        return isNumber(indexName)
                ? AttributeValue.fromN("999999999999999999")
                : AttributeValue.fromS("\uDBFF\uDFFF".repeat(300)); // no key has more than 1024 bytes
    }

    private boolean isNumber(@Nullable String indexName) {
        return "N".equals(keyTypes.get(schema(indexName).sort()));
    }
}
