package io.varve.simulation.model;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** What DynamoDB knows of values: their order, their equality and their size. */
final class Values {
    private Values() {}

    /** The order of two values of one type that has an order: text and bytes by bytes, numbers by value. */
    static int compare(AttributeValue a, AttributeValue b) {
        return switch (a.type()) {
            case S -> Arrays.compareUnsigned(utf8(a.s()), utf8(b.s()));
            case N -> new BigDecimal(a.n()).compareTo(new BigDecimal(b.n()));
            case B -> Arrays.compareUnsigned(a.b().asByteArrayUnsafe(), b.b().asByteArrayUnsafe());
            default -> throw new IllegalArgumentException("values of type " + a.type() + " have no order");
        };
    }

    static boolean haveOrder(AttributeValue a, AttributeValue b) {
        return a.type() == b.type()
                && switch (a.type()) {
                    case S, N, B -> true;
                    default -> false;
                };
    }

    static boolean equal(AttributeValue a, AttributeValue b) {
        return haveOrder(a, b) ? compare(a, b) == 0 : a.equals(b);
    }

    /** What the function {@code size} of expressions says. */
    static int length(AttributeValue value) {
        return switch (value.type()) {
            case S -> utf8(value.s()).length;
            case B -> value.b().asByteArrayUnsafe().length;
            case SS -> value.ss().size();
            case NS -> value.ns().size();
            case BS -> value.bs().size();
            case L -> value.l().size();
            case M -> value.m().size();
            default -> throw new IllegalArgumentException("no size of a " + value.type());
        };
    }

    /** An item's bytes as DynamoDB counts them. */
    static int size(Map<String, AttributeValue> item) {
        int bytes = 0;
        for (Map.Entry<String, AttributeValue> attribute : item.entrySet()) {
            bytes += utf8(attribute.getKey()).length + size(attribute.getValue());
        }
        return bytes;
    }

    private static int size(AttributeValue value) {
        return switch (value.type()) {
            case S -> utf8(value.s()).length;
            case N -> number(value.n());
            case B -> value.b().asByteArrayUnsafe().length;
            case SS -> value.ss().stream().mapToInt(text -> utf8(text).length).sum();
            case NS -> value.ns().stream().mapToInt(Values::number).sum();
            case BS ->
                value.bs().stream()
                        .mapToInt(bytes -> bytes.asByteArrayUnsafe().length)
                        .sum();
            case L ->
                3 + value.l().stream().mapToInt(element -> 1 + size(element)).sum();
            case M -> 3 + value.m().size() + size(value.m());
            default -> 1;
        };
    }

    private static int number(String text) {
        BigDecimal value = new BigDecimal(text).stripTrailingZeros();
        return value.signum() == 0 ? 1 : (value.precision() + 1) / 2 + 1 + (value.signum() < 0 ? 1 : 0);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
