package io.varve.simulation.failsonce;

import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Reads attributes of items that must have them. */
final class Items {
    private Items() {}

    static String text(Map<String, AttributeValue> item, String name) {
        return of(item, name).s();
    }

    static long number(Map<String, AttributeValue> item, String name) {
        return Long.parseLong(of(item, name).n());
    }

    static String bytes(Map<String, AttributeValue> item, String name) {
        return of(item, name).b().asUtf8String();
    }

    private static AttributeValue of(Map<String, AttributeValue> item, String name) {
        return Optional.ofNullable(item.get(name))
                .orElseThrow(() -> new Broken("An item has no " + name + ": " + item.keySet()));
    }
}
