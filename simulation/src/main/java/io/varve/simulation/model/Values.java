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
            case S -> compareUtf8(a.s(), b.s());
            case N -> compareNumbers(a.n(), b.n());
            case B -> Arrays.compareUnsigned(a.b().asByteArrayUnsafe(), b.b().asByteArrayUnsafe());
            default -> throw new IllegalArgumentException("values of type " + a.type() + " have no order");
        };
    }

    /** As the bytes of UTF-8 compare; most texts have no others than one for each character. */
    private static int compareUtf8(String a, String b) {
        int length = Math.min(a.length(), b.length());
        for (int i = 0; i < length; i++) {
            char one = a.charAt(i);
            char other = b.charAt(i);
            if (one >= 0x80 || other >= 0x80) {
                return Arrays.compareUnsigned(utf8(a), utf8(b));
            }
            if (one != other) {
                return Character.compare(one, other);
            }
        }
        return Integer.compare(a.length(), b.length());
    }

    private static int compareNumbers(String a, String b) {
        return isLong(a) && isLong(b)
                ? Long.compare(Long.parseLong(a), Long.parseLong(b))
                : new BigDecimal(a).compareTo(new BigDecimal(b));
    }

    private static final String MOST = Long.toString(Long.MAX_VALUE);
    private static final int LONGEST = MOST.length();

    static boolean isLong(String text) {
        if (text.isEmpty() || text.length() > LONGEST || (text.length() == LONGEST && text.compareTo(MOST) > 0)) {
            return false;
        }
        for (int i = text.charAt(0) == '-' && text.length() > 1 ? 1 : 0; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return true;
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
            case S -> utf8Length(value.s());
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
            bytes += utf8Length(attribute.getKey()) + size(attribute.getValue());
        }
        return bytes;
    }

    private static int size(AttributeValue value) {
        return switch (value.type()) {
            case S -> utf8Length(value.s());
            case N -> number(value.n());
            case B -> value.b().asByteArrayUnsafe().length;
            case SS -> value.ss().stream().mapToInt(Values::utf8Length).sum();
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
        if (isLong(text) && text.charAt(0) >= '1' && text.charAt(text.length() - 1) != '0') {
            return (text.length() + 1) / 2 + 1;
        }
        BigDecimal value = new BigDecimal(text).stripTrailingZeros();
        return value.signum() == 0 ? 1 : (value.precision() + 1) / 2 + 1 + (value.signum() < 0 ? 1 : 0);
    }

    private static int utf8Length(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return utf8(text).length;
            }
        }
        return text.length();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
