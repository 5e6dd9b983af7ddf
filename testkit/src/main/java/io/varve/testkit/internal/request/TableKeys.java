package io.varve.testkit.internal.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.varve.testkit.internal.json.LenientJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The keys and indexes of a table, all empty if the table is unknown. */
public record TableKeys(List<String> keyAttributes, List<Index> indexes) {

    static final TableKeys UNKNOWN = new TableKeys(List.of(), List.of());

    /** A secondary index: the attributes of its entries, or all. */
    public record Index(String name, boolean global, List<String> keyAttributes, boolean all, Set<String> projected) {

        /** The item's entry in this index, or null if it lacks a key of the index. */
        public @Nullable Map<String, JsonNode> entryOf(@Nullable Map<String, JsonNode> item) {
            if (item == null || !item.keySet().containsAll(keyAttributes)) {
                return null;
            }
            if (all) {
                return item;
            }
            Map<String, JsonNode> entry = new LinkedHashMap<>(item);
            entry.keySet().retainAll(projected);
            return entry;
        }
    }

    static TableKeys of(JsonNode describeTableAnswer) {
        JsonNode table = describeTableAnswer.path("Table");
        List<String> keys = keys(table);
        List<Index> indexes = new ArrayList<>();
        LenientJson.array(table, "GlobalSecondaryIndexes").forEach(index -> indexes.add(index(index, true, keys)));
        LenientJson.array(table, "LocalSecondaryIndexes").forEach(index -> indexes.add(index(index, false, keys)));
        return new TableKeys(keys, indexes);
    }

    /** The key of an item or of a key, in the order hash, sort. */
    Map<String, JsonNode> keyOf(Map<String, JsonNode> attributes) {
        Map<String, JsonNode> key = new LinkedHashMap<>();
        for (String name : keyAttributes) {
            JsonNode value = attributes.get(name);
            if (value != null) {
                key.put(name, value);
            }
        }
        return key;
    }

    /** The hash key's name of the table, or of an index; empty if unknown. */
    String hashKey(String index) {
        return indexes.stream()
                .filter(candidate -> candidate.name().equals(index))
                .map(Index::keyAttributes)
                .findFirst()
                .orElse(index.isEmpty() ? keyAttributes : List.of())
                .stream()
                .findFirst()
                .orElse("");
    }

    /** Whether the index is a global one. */
    public boolean isGlobal(String index) {
        return indexes.stream().anyMatch(candidate -> candidate.name().equals(index) && candidate.global());
    }

    /** The value of the hash key in an item or key. */
    Optional<String> partitionKey(Map<String, JsonNode> attributes) {
        return Optional.ofNullable(attributes.get(hashKey(""))).flatMap(TableKeys::keyText);
    }

    /** A key's value as text; none if it is no attribute value. */
    static Optional<String> keyText(JsonNode value) {
        return LenientJson.entries(value).values().stream().findFirst().map(JsonNode::asText);
    }

    private static Index index(JsonNode index, boolean global, List<String> tableKeys) {
        JsonNode projection = index.path("Projection");
        List<String> keys = keys(index);
        Set<String> projected = new LinkedHashSet<>(tableKeys);
        projected.addAll(keys);
        LenientJson.array(projection, "NonKeyAttributes").forEach(name -> projected.add(name.asText()));
        return new Index(
                LenientJson.text(index, "IndexName"),
                global,
                keys,
                LenientJson.text(projection, "ProjectionType").equals("ALL"),
                projected);
    }

    private static List<String> keys(JsonNode tableOrIndex) {
        return LenientJson.array(tableOrIndex, "KeySchema").stream()
                .sorted((one, other) -> LenientJson.text(one, "KeyType").compareTo(LenientJson.text(other, "KeyType")))
                .map(key -> LenientJson.text(key, "AttributeName"))
                .toList();
    }
}
