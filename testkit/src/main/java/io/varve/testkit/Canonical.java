package io.varve.testkit;

import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.protocols.jsoncore.JsonNode;

/** Attribute values in one spelling, so that values which are equal for DynamoDB are equal as JSON: 1 and 1.0, sets in any order. */
final class Canonical {

    private Canonical() {}

    static Map<String, JsonNode> of(Map<String, JsonNode> attributes) {
        return Json.parse(Json.write(values(attributes))).asObject();
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
        attributeValue.asObject().forEach((type, value) -> typed.put(type, content(type, value)));
        return typed;
    }

    private static Object content(String type, JsonNode value) {
        if (type.equals("N") && value.isString()) {
            return number(value.asString());
        } else if (type.equals("L") && value.isArray()) {
            return value.asArray().stream().map(Canonical::value).toList();
        } else if (type.equals("M") && value.isObject()) {
            return values(value.asObject());
        } else if (List.of("SS", "NS", "BS").contains(type) && value.isArray()) {
            return value.asArray().stream()
                    .map(JsonNode::text)
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
