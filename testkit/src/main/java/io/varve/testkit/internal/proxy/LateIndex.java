package io.varve.testkit.internal.proxy;

import com.fasterxml.jackson.databind.JsonNode;
import io.varve.testkit.internal.http.HttpAnswer;
import io.varve.testkit.internal.json.AttributeValues;
import io.varve.testkit.internal.json.LenientJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Takes entries out of the answer to a query or scan. */
public final class LateIndex {

    private LateIndex() {}

    /** The answer without the accepted entries. */
    public static HttpAnswer hide(Predicate<Map<String, AttributeValue>> accepts, HttpAnswer answer) {
        JsonNode json = answer.json();
        List<JsonNode> items = LenientJson.array(json, "Items");
        List<JsonNode> shown = items.stream()
                .filter(item -> !accepts.test(AttributeValues.fromJson(LenientJson.entries(item))))
                .toList();
        int hidden = items.size() - shown.size();
        if (hidden == 0) {
            return answer;
        }
        Map<String, Object> body = new LinkedHashMap<>(LenientJson.entries(json));
        body.put("Items", shown);
        for (String count : List.of("Count", "ScannedCount")) {
            if (json.has(count)) {
                body.put(count, json.path(count).intValue() - hidden);
            }
        }
        return answer.withJson(body);
    }
}
