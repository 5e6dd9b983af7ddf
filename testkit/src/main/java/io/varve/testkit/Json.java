package io.varve.testkit;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.protocols.jsoncore.JsonNode;
import software.amazon.awssdk.protocols.jsoncore.JsonWriter;

/** Reads JSON into nodes and writes nodes, maps, lists and scalars as JSON. */
final class Json {

    private Json() {}

    /** The parsed object, or an empty one for anything that is no JSON object. */
    static JsonNode parse(byte[] bytes) {
        if (bytes.length == 0) {
            return JsonNode.emptyObjectNode();
        }
        try {
            JsonNode node = JsonNode.parser().parse(bytes);
            return node.isObject() ? node : JsonNode.emptyObjectNode();
        } catch (RuntimeException e) {
            return JsonNode.emptyObjectNode();
        }
    }

    /** A string field, or an empty string. */
    static String text(JsonNode node, String field) {
        return node.field(field)
                .filter(JsonNode::isString)
                .map(JsonNode::asString)
                .orElse("");
    }

    /** An object field's entries, or none. */
    static Map<String, JsonNode> object(JsonNode node, String field) {
        return node.field(field)
                .filter(JsonNode::isObject)
                .map(JsonNode::asObject)
                .orElse(Map.of());
    }

    /** An array field's elements, or none. */
    static List<JsonNode> array(JsonNode node, String field) {
        return node.field(field)
                .filter(JsonNode::isArray)
                .map(JsonNode::asArray)
                .orElse(List.of());
    }

    /** Whether a boolean field is there and true. */
    static boolean isTrue(JsonNode node, String field) {
        return node.field(field)
                .filter(JsonNode::isBoolean)
                .map(JsonNode::asBoolean)
                .orElse(false);
    }

    /** Writes a tree of maps, lists, nodes, strings, numbers and booleans. */
    static byte[] write(Object value) {
        try (JsonWriter writer = JsonWriter.create()) {
            write(writer, value);
            return writer.getBytes();
        }
    }

    static String writeText(Object value) {
        return new String(write(value), StandardCharsets.UTF_8);
    }

    private static void write(JsonWriter writer, Object value) {
        if (value instanceof JsonNode node) {
            writeNode(writer, node);
        } else if (value instanceof Map<?, ?> map) {
            writer.writeStartObject();
            map.forEach((name, member) -> {
                writer.writeFieldName((String) name);
                write(writer, member);
            });
            writer.writeEndObject();
        } else if (value instanceof Iterable<?> elements) {
            writer.writeStartArray();
            elements.forEach(element -> write(writer, element));
            writer.writeEndArray();
        } else if (value instanceof Boolean bool) {
            writer.writeValue(bool);
        } else if (value instanceof Number number) {
            writer.writeNumber(number.toString());
        } else {
            writer.writeValue(value.toString());
        }
    }

    private static void writeNode(JsonWriter writer, JsonNode node) {
        if (node.isObject()) {
            write(writer, node.asObject());
        } else if (node.isArray()) {
            write(writer, node.asArray());
        } else if (node.isString()) {
            writer.writeValue(node.asString());
        } else if (node.isNumber()) {
            writer.writeNumber(node.asNumber());
        } else if (node.isBoolean()) {
            writer.writeValue(node.asBoolean());
        } else {
            writer.writeNull();
        }
    }
}
