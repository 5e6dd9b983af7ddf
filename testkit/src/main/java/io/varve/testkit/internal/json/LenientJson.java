package io.varve.testkit.internal.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON and its fields, where missing or strange ones are empty, and writes it. */
public final class LenientJson {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private LenientJson() {}

    /** The parsed object, or an empty one for anything that is no JSON object. */
    public static JsonNode parse(byte[] bytes) {
        try {
            JsonNode node = MAPPER.readTree(bytes);
            return node.isObject() ? node : empty();
        } catch (IOException e) {
            return empty();
        }
    }

    /** An object without fields. */
    public static JsonNode empty() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** A string field, or an empty string. */
    public static String text(JsonNode node, String field) {
        JsonNode value = node.path(field);
        return value.isTextual() ? value.textValue() : "";
    }

    /** An object field's entries, or none. */
    public static Map<String, JsonNode> object(JsonNode node, String field) {
        return entries(node.path(field));
    }

    /** An object's entries; none if it is no object. */
    public static Map<String, JsonNode> entries(JsonNode object) {
        Map<String, JsonNode> entries = new LinkedHashMap<>();
        object.properties().forEach(entry -> entries.put(entry.getKey(), entry.getValue()));
        return entries;
    }

    /** An array field's elements, or none. */
    public static List<JsonNode> array(JsonNode node, String field) {
        return elements(node.path(field));
    }

    /** An array's elements; none if it is no array. */
    public static List<JsonNode> elements(JsonNode array) {
        List<JsonNode> elements = new ArrayList<>();
        if (array.isArray()) {
            array.forEach(elements::add);
        }
        return elements;
    }

    /** Whether a boolean field is there and true. */
    public static boolean isTrue(JsonNode node, String field) {
        return node.path(field).booleanValue();
    }

    /** A tree of maps, lists, nodes, strings, numbers and booleans as a node. */
    public static JsonNode node(Object value) {
        return MAPPER.valueToTree(value);
    }

    /** Writes a tree of maps, lists, nodes, strings, numbers and booleans. */
    public static byte[] write(Object value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("This cannot be JSON: " + value, e);
        }
    }
}
