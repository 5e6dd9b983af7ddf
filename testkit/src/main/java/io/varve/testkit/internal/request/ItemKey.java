package io.varve.testkit.internal.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.varve.testkit.internal.json.CanonicalItem;
import java.util.Map;

/** An item's table and canonical key. */
public record ItemKey(String table, Map<String, JsonNode> key) {

    /** The key of an item, whose other attributes do not matter. */
    public static ItemKey of(String table, Map<String, JsonNode> attributes, KnownTables definitions) {
        return new ItemKey(table, CanonicalItem.of(definitions.find(table).keyOf(attributes)));
    }
}
