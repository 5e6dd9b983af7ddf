package io.varve.testkit.internal.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Turns DynamoDB's JSON into the SDK's attribute values and back. */
public final class AttributeValues {

    private AttributeValues() {}

    /** An item or key as the SDK has it. */
    public static Map<String, AttributeValue> fromJson(Map<String, JsonNode> attributes) {
        Map<String, AttributeValue> values = new LinkedHashMap<>();
        attributes.forEach((name, value) -> values.put(name, fromJson(value)));
        return values;
    }

    static AttributeValue fromJson(JsonNode node) {
        Map.Entry<String, JsonNode> only = node.properties().iterator().next();
        JsonNode value = only.getValue();
        return switch (only.getKey()) {
            case "S" -> AttributeValue.fromS(value.asText());
            case "N" -> AttributeValue.fromN(value.asText());
            case "B" -> AttributeValue.fromB(bytes(value));
            case "BOOL" -> AttributeValue.fromBool(value.asBoolean());
            case "NULL" -> AttributeValue.fromNul(true);
            case "SS" -> AttributeValue.fromSs(strings(value));
            case "NS" -> AttributeValue.fromNs(strings(value));
            case "BS" ->
                AttributeValue.fromBs(LenientJson.elements(value).stream()
                        .map(AttributeValues::bytes)
                        .toList());
            case "L" ->
                AttributeValue.fromL(LenientJson.elements(value).stream()
                        .map(AttributeValues::fromJson)
                        .toList());
            case "M" -> AttributeValue.fromM(fromJson(LenientJson.entries(value)));
            default -> throw new IllegalArgumentException("Unknown attribute type " + only.getKey());
        };
    }

    /** The JSON of an item or key. */
    public static Map<String, Object> toJson(Map<String, AttributeValue> attributes) {
        Map<String, Object> json = new LinkedHashMap<>();
        attributes.forEach((name, value) -> json.put(name, toJson(value)));
        return json;
    }

    static Map<String, Object> toJson(AttributeValue value) {
        return switch (value.type()) {
            case S -> Map.of("S", value.s());
            case N -> Map.of("N", value.n());
            case B -> Map.of("B", base64(value.b()));
            case BOOL -> Map.of("BOOL", value.bool());
            case NUL -> Map.of("NULL", true);
            case SS -> Map.of("SS", value.ss());
            case NS -> Map.of("NS", value.ns());
            case BS ->
                Map.of("BS", value.bs().stream().map(AttributeValues::base64).toList());
            case L ->
                Map.of("L", value.l().stream().map(AttributeValues::toJson).toList());
            case M -> Map.of("M", toJson(value.m()));
            case UNKNOWN_TO_SDK_VERSION -> throw new IllegalArgumentException("Unknown attribute type: " + value);
        };
    }

    private static List<String> strings(JsonNode array) {
        return LenientJson.elements(array).stream().map(JsonNode::asText).toList();
    }

    private static SdkBytes bytes(JsonNode base64) {
        return SdkBytes.fromByteArrayUnsafe(Base64.getDecoder().decode(base64.asText()));
    }

    private static String base64(SdkBytes bytes) {
        return Base64.getEncoder().encodeToString(bytes.asByteArrayUnsafe());
    }
}
