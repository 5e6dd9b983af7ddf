package io.varve.testkit.internal.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Attribute values in one spelling, so that values which are equal for DynamoDB are equal as JSON: 1 and 1.0, sets in any order. */
public final class CanonicalItem {

    private CanonicalItem() {}

    /** The same attributes in that spelling. */
    public static Map<String, JsonNode> of(Map<String, JsonNode> attributes) {
        return LenientJson.entries(LenientJson.node(values(attributes)));
    }

    private static Map<String, Object> values(Map<String, JsonNode> attributes) {
        Map<String, Object> values = new LinkedHashMap<>();
        attributes.forEach((name, value) -> values.put(name, value(value)));
        return values;
    }

    private static Object value(JsonNode attributeValue) {
        if (!attributeValue.isObject()) {
            return attributeValue;
        }
        Map<String, Object> typed = new LinkedHashMap<>();
        LenientJson.entries(attributeValue).forEach((type, value) -> typed.put(type, content(type, value)));
        return typed;
    }

    private static Object content(String type, JsonNode value) {
        if (type.equals("N") && value.isTextual()) {
            return number(value.asText());
        } else if (type.equals("L") && value.isArray()) {
            return LenientJson.elements(value).stream()
                    .map(CanonicalItem::value)
                    .toList();
        } else if (type.equals("M") && value.isObject()) {
            return values(LenientJson.entries(value));
        } else if (List.of("SS", "NS", "BS").contains(type) && value.isArray()) {
            return LenientJson.elements(value).stream()
                    .map(JsonNode::asText)
                    .map(element -> type.equals("NS") ? number(element) : element)
                    .sorted()
                    .toList();
        }
        return value;
    }

    /** The number without trailing zeros; what is none stays as it is, for DynamoDB to refuse. */
    private static String number(String text) {
        try {
            return new BigDecimal(text).stripTrailingZeros().toString();
        } catch (NumberFormatException e) {
            return text;
        }
    }
}
