package io.varve.simulation.model;

import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** What is stored under a key, and how large it is. Nobody changes it. */
record StoredItem(Map<String, AttributeValue> attributes, int bytes) {
    static StoredItem of(Map<String, AttributeValue> attributes) {
        Map<String, AttributeValue> copy = Map.copyOf(attributes);
        return new StoredItem(copy, Values.size(copy));
    }
}
