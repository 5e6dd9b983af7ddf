package io.varve.simulation.model;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Which attributes of an item are wanted; no names mean all. */
record Projection(List<String> names) {
    private static final Projection ALL = new Projection(List.of());

    static Projection of(@Nullable String expression, Map<String, String> names) {
        return expression == null
                ? ALL
                : new Projection(Arrays.stream(expression.split(",", -1))
                        .map(part -> new Tokens(part, names, Map.of()).name())
                        .toList());
    }

    Map<String, AttributeValue> of(Map<String, AttributeValue> item) {
        if (names.isEmpty()) {
            return item;
        }
        Map<String, AttributeValue> part = new HashMap<>();
        for (String name : names) {
            AttributeValue value = item.get(name);
            if (value != null) {
                part.put(name, value);
            }
        }
        return part;
    }
}
