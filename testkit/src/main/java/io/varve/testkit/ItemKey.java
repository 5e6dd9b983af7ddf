package io.varve.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/** An item's table and canonical key. */
record ItemKey(String table, Map<String, JsonNode> key) {

    static ItemKey of(String table, Map<String, JsonNode> attributes, TableDefinitions definitions) {
        return new ItemKey(table, Canonical.of(definitions.find(table).keyOf(attributes)));
    }
}
