package io.varve.simulation.failsonce;

import java.util.Map;
import java.util.Optional;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Reads attributes of items that must have them. */
public final class Items {
    private Items() {}

    public static String text(Map<String, AttributeValue> item, String name) {
        return of(item, name).s();
    }

    public static long number(Map<String, AttributeValue> item, String name) {
        return Long.parseLong(of(item, name).n());
    }

    public static String bytes(Map<String, AttributeValue> item, String name) {
        return of(item, name).b().asUtf8String();
    }

    private static AttributeValue of(Map<String, AttributeValue> item, String name) {
        return Optional.ofNullable(item.get(name))
                .orElseThrow(() -> new Broken("An item has no " + name + ": " + item.keySet()));
    }
}
