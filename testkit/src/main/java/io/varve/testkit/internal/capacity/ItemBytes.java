package io.varve.testkit.internal.capacity;

import com.fasterxml.jackson.databind.JsonNode;
import io.varve.testkit.internal.json.AttributeValues;
import io.varve.testkit.internal.json.LenientJson;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The size of items by DynamoDB's published rules: attribute names and values. */
public final class ItemBytes {

    private static final int CONTAINER = 3;
    private static final int ELEMENT = 1;

    private ItemBytes() {}

    /** The bytes of an item as DynamoDB counts them. */
    public static int of(Map<String, AttributeValue> item) {
        return ofJson(LenientJson.entries(LenientJson.node(AttributeValues.toJson(item))));
    }

    /** The same of an item in JSON. */
    public static int ofJson(Map<String, JsonNode> item) {
        return item.entrySet().stream()
                .mapToInt(attribute -> utf8(attribute.getKey()) + ofValue(attribute.getValue()))
                .sum();
    }

    private static int ofValue(JsonNode attributeValue) {
        Map.Entry<String, JsonNode> only =
                attributeValue.properties().iterator().next();
        JsonNode value = only.getValue();
        return switch (only.getKey()) {
            case "S" -> utf8(value.asText());
            case "N" -> ofNumber(value.asText());
            case "B" -> ofBase64(value.asText());
            case "SS" ->
                LenientJson.elements(value).stream()
                        .mapToInt(element -> utf8(element.asText()))
                        .sum();
            case "NS" ->
                LenientJson.elements(value).stream()
                        .mapToInt(element -> ofNumber(element.asText()))
                        .sum();
            case "BS" ->
                LenientJson.elements(value).stream()
                        .mapToInt(element -> ofBase64(element.asText()))
                        .sum();
            case "L" -> ofList(LenientJson.elements(value));
            case "M" -> CONTAINER + LenientJson.entries(value).size() * ELEMENT + ofJson(LenientJson.entries(value));
            default -> 1;
        };
    }

    /** A byte for every two significant digits, one more, and one for a minus sign. */
    static int ofNumber(String number) {
        BigDecimal value = new BigDecimal(number).stripTrailingZeros();
        if (value.signum() == 0) {
            return 1;
        }
        return (value.precision() + 1) / 2 + 1 + (value.signum() < 0 ? 1 : 0);
    }

    private static int ofList(List<JsonNode> elements) {
        return CONTAINER
                + elements.stream()
                        .mapToInt(element -> ELEMENT + ofValue(element))
                        .sum();
    }

    private static int ofBase64(String base64) {
        int padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
        return base64.length() / 4 * 3 - padding;
    }

    private static int utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
