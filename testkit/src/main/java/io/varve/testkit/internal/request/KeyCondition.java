package io.varve.testkit.internal.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.varve.testkit.internal.json.LenientJson;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the partition key that a query asks for, in an expression or in the older condition map. */
final class KeyCondition {

    private static final Pattern EQUALITY = Pattern.compile("([#\\w.-]+)\\s*=\\s*(:\\w+)");

    private KeyCondition() {}

    static Optional<String> partitionKey(JsonNode body, TableKeys table) {
        String hashKey = table.hashKey(LenientJson.text(body, "IndexName"));
        Map<String, JsonNode> names = LenientJson.object(body, "ExpressionAttributeNames");
        Map<String, JsonNode> values = LenientJson.object(body, "ExpressionAttributeValues");
        Matcher equality = EQUALITY.matcher(LenientJson.text(body, "KeyConditionExpression"));
        while (equality.find()) {
            JsonNode alias = names.get(equality.group(1));
            String name = alias == null ? equality.group(1) : alias.asText();
            JsonNode value = values.get(equality.group(2));
            if (value != null && (hashKey.isEmpty() || hashKey.equals(name))) {
                return TableKeys.keyText(value);
            }
        }
        JsonNode older = LenientJson.object(body, "KeyConditions").get(hashKey);
        List<JsonNode> operands = older == null ? List.of() : LenientJson.array(older, "AttributeValueList");
        return operands.stream().findFirst().flatMap(TableKeys::keyText);
    }
}
