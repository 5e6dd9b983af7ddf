package io.varve.testkit;

import java.util.Map;
import software.amazon.awssdk.protocols.jsoncore.JsonNode;

/** An item's table and canonical key. */
record ItemKey(String table, Map<String, JsonNode> key) {

    static ItemKey of(String table, Map<String, JsonNode> attributes, TableDefinitions definitions) {
        return new ItemKey(table, Canonical.of(definitions.find(table).keyOf(attributes)));
    }
}
