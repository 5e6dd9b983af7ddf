package io.varve.store.internal.layout;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The size of an item as DynamoDB counts it: names and values. Numbers are counted at their longest, to be on the safe side. */
public final class ItemSize {
    /** The largest item that DynamoDB takes. */
    public static final int MAX = 400 * 1024;

    private static final int NUMBER = 21;

    private ItemSize() {}

    /** An upper bound of an item's size in bytes; for a few numbers it is some bytes too many. */
    public static int of(Map<String, AttributeValue> item) {
        int size = 0;
        for (Map.Entry<String, AttributeValue> attribute : item.entrySet()) {
            size += length(attribute.getKey()) + of(attribute.getValue());
        }
        return size;
    }

    private static int of(AttributeValue value) {
        return switch (value.type()) {
            case S -> length(value.s());
            case N -> Math.min(NUMBER, value.n().length() / 2 + 2);
            case B -> value.b().asByteArrayUnsafe().length;
            case SS -> value.ss().stream().mapToInt(ItemSize::length).sum();
            case BOOL, NUL -> 1;
            default -> throw new IllegalArgumentException("no attribute of type " + value.type() + " is stored");
        };
    }

    private static int length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
