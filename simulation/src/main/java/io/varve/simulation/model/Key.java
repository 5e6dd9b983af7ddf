package io.varve.simulation.model;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * A primary key; all tables here have a sort key. Most keys are of text and whole numbers, which are compared without a look at the
 * attributes.
 */
final class Key implements Comparable<Key> {
    private final AttributeValue hash;
    private final AttributeValue sort;
    private final @Nullable String hashText;
    private final boolean whole;
    private final long number;
    private final int code;

    Key(AttributeValue hash, AttributeValue sort) {
        this.hash = hash;
        this.sort = sort;
        this.hashText = hash.s();
        @Nullable String digits = sort.n();
        this.whole = digits != null && Values.isLong(digits);
        this.number = whole ? Long.parseLong(digits) : 0;
        this.code = 31 * code(hash) + (whole ? Double.hashCode((double) number) : code(sort));
    }

    private static int code(AttributeValue value) {
        return switch (value.type()) {
            case S -> value.s().hashCode();
            case N -> Double.hashCode(new BigDecimal(value.n()).doubleValue());
            default -> value.hashCode();
        };
    }

    AttributeValue hash() {
        return hash;
    }

    AttributeValue sort() {
        return sort;
    }

    boolean hasHash(AttributeValue other) {
        return hashText == null ? Values.compare(hash, other) == 0 : hashText.equals(other.s());
    }

    @Override
    public int compareTo(Key other) {
        int order = hashText != null && hashText.equals(other.hashText) ? 0 : Values.compare(hash, other.hash);
        if (order != 0) {
            return order;
        }
        return whole && other.whole ? Long.compare(number, other.number) : Values.compare(sort, other.sort);
    }

    @Override
    public boolean equals(@Nullable Object object) {
        return object instanceof Key other && code == other.code && compareTo(other) == 0;
    }

    @Override
    public int hashCode() {
        return code;
    }

    @Override
    public String toString() {
        return hash + "/" + sort;
    }
}
